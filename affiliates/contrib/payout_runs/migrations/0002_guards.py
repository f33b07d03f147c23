"""Written by ``python -m tests.migrations.write_triggers`` from the lists in the code."""

from django.db import migrations

from affiliates.db.migration_operations import CreateTriggers


class Migration(migrations.Migration):
    dependencies = [("affiliates_payout_runs", "0001_initial")]

    operations = [
        CreateTriggers(
            functions={
            },
            triggers={
                "postgresql": (
                    ('affiliates_payout_runs_payoutrunline_refuses_update', 'affiliates_payout_runs_payoutrunline', "CREATE TRIGGER affiliates_payout_runs_payoutrunline_refuses_update BEFORE update ON affiliates_payout_runs_payoutrunline FOR EACH ROW EXECUTE FUNCTION affiliates_refuse_change('Rows of affiliates_payout_runs_payoutrunline are only ever added: discard the run, or reject the payout.')"),
                    ('affiliates_payout_runs_payoutrunline_refuses_delete', 'affiliates_payout_runs_payoutrunline', "CREATE TRIGGER affiliates_payout_runs_payoutrunline_refuses_delete BEFORE delete ON affiliates_payout_runs_payoutrunline FOR EACH ROW EXECUTE FUNCTION affiliates_refuse_change('Rows of affiliates_payout_runs_payoutrunline are only ever added: discard the run, or reject the payout.')"),
                    ('affiliates_payout_runs_payoutanswerline_refuses_update', 'affiliates_payout_runs_payoutanswerline', "CREATE TRIGGER affiliates_payout_runs_payoutanswerline_refuses_update BEFORE update ON affiliates_payout_runs_payoutanswerline FOR EACH ROW EXECUTE FUNCTION affiliates_refuse_change('Rows of affiliates_payout_runs_payoutanswerline are only ever added: apply a further answer.')"),
                    ('affiliates_payout_runs_payoutanswerline_refuses_delete', 'affiliates_payout_runs_payoutanswerline', "CREATE TRIGGER affiliates_payout_runs_payoutanswerline_refuses_delete BEFORE delete ON affiliates_payout_runs_payoutanswerline FOR EACH ROW EXECUTE FUNCTION affiliates_refuse_change('Rows of affiliates_payout_runs_payoutanswerline are only ever added: apply a further answer.')"),
                ),
                "sqlite": (
                    ('affiliates_payout_runs_payoutrunline_refuses_update', 'affiliates_payout_runs_payoutrunline', "CREATE TRIGGER affiliates_payout_runs_payoutrunline_refuses_update BEFORE update ON affiliates_payout_runs_payoutrunline BEGIN SELECT RAISE(ABORT, 'Rows of affiliates_payout_runs_payoutrunline are only ever added: discard the run, or reject the payout.'); END"),
                    ('affiliates_payout_runs_payoutrunline_refuses_delete', 'affiliates_payout_runs_payoutrunline', "CREATE TRIGGER affiliates_payout_runs_payoutrunline_refuses_delete BEFORE delete ON affiliates_payout_runs_payoutrunline BEGIN SELECT RAISE(ABORT, 'Rows of affiliates_payout_runs_payoutrunline are only ever added: discard the run, or reject the payout.'); END"),
                    ('affiliates_payout_runs_payoutanswerline_refuses_update', 'affiliates_payout_runs_payoutanswerline', "CREATE TRIGGER affiliates_payout_runs_payoutanswerline_refuses_update BEFORE update ON affiliates_payout_runs_payoutanswerline BEGIN SELECT RAISE(ABORT, 'Rows of affiliates_payout_runs_payoutanswerline are only ever added: apply a further answer.'); END"),
                    ('affiliates_payout_runs_payoutanswerline_refuses_delete', 'affiliates_payout_runs_payoutanswerline', "CREATE TRIGGER affiliates_payout_runs_payoutanswerline_refuses_delete BEFORE delete ON affiliates_payout_runs_payoutanswerline BEGIN SELECT RAISE(ABORT, 'Rows of affiliates_payout_runs_payoutanswerline are only ever added: apply a further answer.'); END"),
                ),
            },
        ),
    ]
