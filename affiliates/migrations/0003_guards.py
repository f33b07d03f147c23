"""Written by ``python -m tests.migrations.write_triggers`` from the lists in the code."""

from django.db import migrations

from affiliates.db.migration_operations import CreateTriggers


class Migration(migrations.Migration):
    dependencies = [("affiliates", "0002_clients_and_money")]

    operations = [
        CreateTriggers(
            functions={
                "affiliates_refuse_change": """
BEGIN
    RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'restrict_violation';
END """,
                "affiliates_refuse_other_change": """
BEGIN
    IF OLD.salt LIKE 's%' AND NEW.salt LIKE 'e%'
        AND to_jsonb(NEW) - TG_ARGV[1:] = to_jsonb(OLD) - TG_ARGV[1:]
    THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'restrict_violation';
END """,
                "affiliates_refuse_all_but_end": """
BEGIN
    IF to_jsonb(OLD) ->> TG_ARGV[1] IS NULL
        AND to_jsonb(NEW) - TG_ARGV[1:] = to_jsonb(OLD) - TG_ARGV[1:]
    THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'restrict_violation';
END """,
                "affiliates_require_recruiter": """
BEGIN
    IF NEW.recruiter_id IS NOT NULL AND NOT EXISTS (
        SELECT FROM affiliates_affiliate WHERE id = NEW.recruiter_id
        AND brand_id = NEW.brand_id AND recruiter_id IS DISTINCT FROM NEW.id
    ) THEN
        RAISE EXCEPTION
            'A recruiter is of the same brand, and not recruited by its own recruit.'
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END """,
                "affiliates_require_zero_sum": """
DECLARE
    checked bigint := (to_jsonb(NEW) ->> TG_ARGV[0])::bigint;
BEGIN
    IF (
        SELECT coalesce(bool_or(total <> 0) OR sum(entries) < 2, true) FROM (
            SELECT sum(amount) AS total, count(*) AS entries
            FROM affiliates_ledgerentry WHERE posting_id = checked GROUP BY currency
        ) AS sums
    ) THEN
        RAISE EXCEPTION
            'Posting % must have at least two entries that sum to zero in each currency: '
            'write it with affiliates.ledger.services.post.', checked
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
END """,
            },
            triggers={
                "postgresql": (
                    ('affiliates_ledgerposting_refuses_update', 'affiliates_ledgerposting', "CREATE TRIGGER affiliates_ledgerposting_refuses_update BEFORE update ON affiliates_ledgerposting FOR EACH ROW EXECUTE FUNCTION affiliates_refuse_change('Rows of affiliates_ledgerposting are only ever added: post a movement that takes it back.')"),
                    ('affiliates_ledgerposting_refuses_delete', 'affiliates_ledgerposting', "CREATE TRIGGER affiliates_ledgerposting_refuses_delete BEFORE delete ON affiliates_ledgerposting FOR EACH ROW EXECUTE FUNCTION affiliates_refuse_change('Rows of affiliates_ledgerposting are only ever added: post a movement that takes it back.')"),
                    ('affiliates_ledgerentry_refuses_update', 'affiliates_ledgerentry', "CREATE TRIGGER affiliates_ledgerentry_refuses_update BEFORE update ON affiliates_ledgerentry FOR EACH ROW EXECUTE FUNCTION affiliates_refuse_change('Rows of affiliates_ledgerentry are only ever added: post a movement that takes it back.')"),
                    ('affiliates_ledgerentry_refuses_delete', 'affiliates_ledgerentry', "CREATE TRIGGER affiliates_ledgerentry_refuses_delete BEFORE delete ON affiliates_ledgerentry FOR EACH ROW EXECUTE FUNCTION affiliates_refuse_change('Rows of affiliates_ledgerentry are only ever added: post a movement that takes it back.')"),
                    ('affiliates_commissionline_refuses_update', 'affiliates_commissionline', "CREATE TRIGGER affiliates_commissionline_refuses_update BEFORE update ON affiliates_commissionline FOR EACH ROW EXECUTE FUNCTION affiliates_refuse_other_change('Rows of affiliates_commissionline are only ever added: reverse or reject the commission.', 'receipt', 'salt')"),
                    ('affiliates_commissionline_refuses_delete', 'affiliates_commissionline', "CREATE TRIGGER affiliates_commissionline_refuses_delete BEFORE delete ON affiliates_commissionline FOR EACH ROW EXECUTE FUNCTION affiliates_refuse_change('Rows of affiliates_commissionline are only ever added: reverse or reject the commission.')"),
                    ('affiliates_commissionreversal_refuses_update', 'affiliates_commissionreversal', "CREATE TRIGGER affiliates_commissionreversal_refuses_update BEFORE update ON affiliates_commissionreversal FOR EACH ROW EXECUTE FUNCTION affiliates_refuse_change('Rows of affiliates_commissionreversal are only ever added: record a further refund.')"),
                    ('affiliates_commissionreversal_refuses_delete', 'affiliates_commissionreversal', "CREATE TRIGGER affiliates_commissionreversal_refuses_delete BEFORE delete ON affiliates_commissionreversal FOR EACH ROW EXECUTE FUNCTION affiliates_refuse_change('Rows of affiliates_commissionreversal are only ever added: record a further refund.')"),
                    ('affiliates_commissionevent_refuses_update', 'affiliates_commissionevent', "CREATE TRIGGER affiliates_commissionevent_refuses_update BEFORE update ON affiliates_commissionevent FOR EACH ROW EXECUTE FUNCTION affiliates_refuse_change('Rows of affiliates_commissionevent are only ever added: add the step that follows.')"),
                    ('affiliates_commissionevent_refuses_delete', 'affiliates_commissionevent', "CREATE TRIGGER affiliates_commissionevent_refuses_delete BEFORE delete ON affiliates_commissionevent FOR EACH ROW EXECUTE FUNCTION affiliates_refuse_change('Rows of affiliates_commissionevent are only ever added: add the step that follows.')"),
                    ('affiliates_payoutevent_refuses_update', 'affiliates_payoutevent', "CREATE TRIGGER affiliates_payoutevent_refuses_update BEFORE update ON affiliates_payoutevent FOR EACH ROW EXECUTE FUNCTION affiliates_refuse_change('Rows of affiliates_payoutevent are only ever added: add the step that follows.')"),
                    ('affiliates_payoutevent_refuses_delete', 'affiliates_payoutevent', "CREATE TRIGGER affiliates_payoutevent_refuses_delete BEFORE delete ON affiliates_payoutevent FOR EACH ROW EXECUTE FUNCTION affiliates_refuse_change('Rows of affiliates_payoutevent are only ever added: add the step that follows.')"),
                    ('affiliates_commissionplanversion_refuses_update', 'affiliates_commissionplanversion', "CREATE TRIGGER affiliates_commissionplanversion_refuses_update BEFORE update ON affiliates_commissionplanversion FOR EACH ROW EXECUTE FUNCTION affiliates_refuse_change('Rows of affiliates_commissionplanversion are only ever added: save the plan, which adds a version.')"),
                    ('affiliates_commissionplanversion_refuses_delete', 'affiliates_commissionplanversion', "CREATE TRIGGER affiliates_commissionplanversion_refuses_delete BEFORE delete ON affiliates_commissionplanversion FOR EACH ROW EXECUTE FUNCTION affiliates_refuse_change('Rows of affiliates_commissionplanversion are only ever added: save the plan, which adds a version.')"),
                    ('affiliates_couponcodeversion_refuses_update', 'affiliates_couponcodeversion', "CREATE TRIGGER affiliates_couponcodeversion_refuses_update BEFORE update ON affiliates_couponcodeversion FOR EACH ROW EXECUTE FUNCTION affiliates_refuse_change('Rows of affiliates_couponcodeversion are only ever added: save the coupon, which adds a version.')"),
                    ('affiliates_couponcodeversion_refuses_delete', 'affiliates_couponcodeversion', "CREATE TRIGGER affiliates_couponcodeversion_refuses_delete BEFORE delete ON affiliates_couponcodeversion FOR EACH ROW EXECUTE FUNCTION affiliates_refuse_change('Rows of affiliates_couponcodeversion are only ever added: save the coupon, which adds a version.')"),
                    ('affiliates_attributionpolicyversion_refuses_update', 'affiliates_attributionpolicyversion', "CREATE TRIGGER affiliates_attributionpolicyversion_refuses_update BEFORE update ON affiliates_attributionpolicyversion FOR EACH ROW EXECUTE FUNCTION affiliates_refuse_change('Rows of affiliates_attributionpolicyversion are only ever added: save the brand, which adds a version.')"),
                    ('affiliates_decisionoverride_refuses_update', 'affiliates_decisionoverride', "CREATE TRIGGER affiliates_decisionoverride_refuses_update BEFORE update ON affiliates_decisionoverride FOR EACH ROW EXECUTE FUNCTION affiliates_refuse_change('Rows of affiliates_decisionoverride are only ever added: override the decision again.')"),
                    ('affiliates_decisionoverride_refuses_delete', 'affiliates_decisionoverride', "CREATE TRIGGER affiliates_decisionoverride_refuses_delete BEFORE delete ON affiliates_decisionoverride FOR EACH ROW EXECUTE FUNCTION affiliates_refuse_change('Rows of affiliates_decisionoverride are only ever added: override the decision again.')"),
                    ('affiliates_salereversal_refuses_update', 'affiliates_salereversal', "CREATE TRIGGER affiliates_salereversal_refuses_update BEFORE update ON affiliates_salereversal FOR EACH ROW EXECUTE FUNCTION affiliates_refuse_change('Rows of affiliates_salereversal are only ever added: record a further refund.')"),
                    ('affiliates_salereversal_refuses_delete', 'affiliates_salereversal', "CREATE TRIGGER affiliates_salereversal_refuses_delete BEFORE delete ON affiliates_salereversal FOR EACH ROW EXECUTE FUNCTION affiliates_refuse_change('Rows of affiliates_salereversal are only ever added: record a further refund.')"),
                    ('affiliates_adjustment_refuses_update', 'affiliates_adjustment', "CREATE TRIGGER affiliates_adjustment_refuses_update BEFORE update ON affiliates_adjustment FOR EACH ROW EXECUTE FUNCTION affiliates_refuse_change('Rows of affiliates_adjustment are only ever added: add one that takes it back.')"),
                    ('affiliates_adjustment_refuses_delete', 'affiliates_adjustment', "CREATE TRIGGER affiliates_adjustment_refuses_delete BEFORE delete ON affiliates_adjustment FOR EACH ROW EXECUTE FUNCTION affiliates_refuse_change('Rows of affiliates_adjustment are only ever added: add one that takes it back.')"),
                    ('affiliates_affiliatedeparture_refuses_update', 'affiliates_affiliatedeparture', "CREATE TRIGGER affiliates_affiliatedeparture_refuses_update BEFORE update ON affiliates_affiliatedeparture FOR EACH ROW EXECUTE FUNCTION affiliates_refuse_all_but_end('Rows of affiliates_affiliatedeparture are only ever added: take the affiliate back.', 'ended_at', 'seal')"),
                    ('affiliates_affiliatedeparture_refuses_delete', 'affiliates_affiliatedeparture', "CREATE TRIGGER affiliates_affiliatedeparture_refuses_delete BEFORE delete ON affiliates_affiliatedeparture FOR EACH ROW EXECUTE FUNCTION affiliates_refuse_change('Rows of affiliates_affiliatedeparture are only ever added: take the affiliate back.')"),
                    ('affiliates_forfeitedamount_refuses_update', 'affiliates_forfeitedamount', "CREATE TRIGGER affiliates_forfeitedamount_refuses_update BEFORE update ON affiliates_forfeitedamount FOR EACH ROW EXECUTE FUNCTION affiliates_refuse_change('Rows of affiliates_forfeitedamount are only ever added: give a bonus.')"),
                    ('affiliates_forfeitedamount_refuses_delete', 'affiliates_forfeitedamount', "CREATE TRIGGER affiliates_forfeitedamount_refuses_delete BEFORE delete ON affiliates_forfeitedamount FOR EACH ROW EXECUTE FUNCTION affiliates_refuse_change('Rows of affiliates_forfeitedamount are only ever added: give a bonus.')"),
                    ('affiliates_forfeitdeduction_refuses_update', 'affiliates_forfeitdeduction', "CREATE TRIGGER affiliates_forfeitdeduction_refuses_update BEFORE update ON affiliates_forfeitdeduction FOR EACH ROW EXECUTE FUNCTION affiliates_refuse_change('Rows of affiliates_forfeitdeduction are only ever added: give a bonus.')"),
                    ('affiliates_forfeitdeduction_refuses_delete', 'affiliates_forfeitdeduction', "CREATE TRIGGER affiliates_forfeitdeduction_refuses_delete BEFORE delete ON affiliates_forfeitdeduction FOR EACH ROW EXECUTE FUNCTION affiliates_refuse_change('Rows of affiliates_forfeitdeduction are only ever added: give a bonus.')"),
                    ('affiliates_payoutstatement_refuses_update', 'affiliates_payoutstatement', "CREATE TRIGGER affiliates_payoutstatement_refuses_update BEFORE update ON affiliates_payoutstatement FOR EACH ROW EXECUTE FUNCTION affiliates_refuse_change('Rows of affiliates_payoutstatement are only ever added: issue a credit note.')"),
                    ('affiliates_payoutstatement_refuses_delete', 'affiliates_payoutstatement', "CREATE TRIGGER affiliates_payoutstatement_refuses_delete BEFORE delete ON affiliates_payoutstatement FOR EACH ROW EXECUTE FUNCTION affiliates_refuse_change('Rows of affiliates_payoutstatement are only ever added: issue a credit note.')"),
                    ('affiliates_statementgap_refuses_update', 'affiliates_statementgap', "CREATE TRIGGER affiliates_statementgap_refuses_update BEFORE update ON affiliates_statementgap FOR EACH ROW EXECUTE FUNCTION affiliates_refuse_change('Rows of affiliates_statementgap are only ever added: run affiliates_after_restore for another moment.')"),
                    ('affiliates_statementgap_refuses_delete', 'affiliates_statementgap', "CREATE TRIGGER affiliates_statementgap_refuses_delete BEFORE delete ON affiliates_statementgap FOR EACH ROW EXECUTE FUNCTION affiliates_refuse_change('Rows of affiliates_statementgap are only ever added: run affiliates_after_restore for another moment.')"),
                    ('affiliates_ordercandidate_refuses_update', 'affiliates_ordercandidate', "CREATE TRIGGER affiliates_ordercandidate_refuses_update BEFORE update ON affiliates_ordercandidate FOR EACH ROW EXECUTE FUNCTION affiliates_refuse_change('Rows of affiliates_ordercandidate are only ever added: decide the order again.')"),
                    ('affiliates_ordercandidate_refuses_delete', 'affiliates_ordercandidate', "CREATE TRIGGER affiliates_ordercandidate_refuses_delete BEFORE delete ON affiliates_ordercandidate FOR EACH ROW EXECUTE FUNCTION affiliates_refuse_change('Rows of affiliates_ordercandidate are only ever added: decide the order again.')"),
                    ('affiliates_ledgerposting_sums_to_zero', 'affiliates_ledgerposting', "CREATE CONSTRAINT TRIGGER affiliates_ledgerposting_sums_to_zero AFTER INSERT ON affiliates_ledgerposting DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION affiliates_require_zero_sum('id')"),
                    ('affiliates_ledgerentry_sums_to_zero', 'affiliates_ledgerentry', "CREATE CONSTRAINT TRIGGER affiliates_ledgerentry_sums_to_zero AFTER INSERT ON affiliates_ledgerentry DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION affiliates_require_zero_sum('posting_id')"),
                    ('affiliates_affiliate_has_a_fitting_recruiter', 'affiliates_affiliate', 'CREATE TRIGGER affiliates_affiliate_has_a_fitting_recruiter BEFORE insert or update of brand_id, recruiter_id ON affiliates_affiliate FOR EACH ROW EXECUTE FUNCTION affiliates_require_recruiter()'),
                ),
                "sqlite": (
                    ('affiliates_ledgerposting_refuses_update', 'affiliates_ledgerposting', "CREATE TRIGGER affiliates_ledgerposting_refuses_update BEFORE update ON affiliates_ledgerposting BEGIN SELECT RAISE(ABORT, 'Rows of affiliates_ledgerposting are only ever added: post a movement that takes it back.'); END"),
                    ('affiliates_ledgerposting_refuses_delete', 'affiliates_ledgerposting', "CREATE TRIGGER affiliates_ledgerposting_refuses_delete BEFORE delete ON affiliates_ledgerposting BEGIN SELECT RAISE(ABORT, 'Rows of affiliates_ledgerposting are only ever added: post a movement that takes it back.'); END"),
                    ('affiliates_ledgerentry_refuses_update', 'affiliates_ledgerentry', "CREATE TRIGGER affiliates_ledgerentry_refuses_update BEFORE update ON affiliates_ledgerentry BEGIN SELECT RAISE(ABORT, 'Rows of affiliates_ledgerentry are only ever added: post a movement that takes it back.'); END"),
                    ('affiliates_ledgerentry_refuses_delete', 'affiliates_ledgerentry', "CREATE TRIGGER affiliates_ledgerentry_refuses_delete BEFORE delete ON affiliates_ledgerentry BEGIN SELECT RAISE(ABORT, 'Rows of affiliates_ledgerentry are only ever added: post a movement that takes it back.'); END"),
                    ('affiliates_commissionline_refuses_update', 'affiliates_commissionline', "CREATE TRIGGER affiliates_commissionline_refuses_update BEFORE update ON affiliates_commissionline WHEN NOT (OLD.salt LIKE 's%' AND NEW.salt LIKE 'e%' AND NEW.id IS OLD.id AND NEW.commission_id IS OLD.commission_id AND NEW.position IS OLD.position AND NEW.amount IS OLD.amount AND NEW.seal IS OLD.seal) BEGIN SELECT RAISE(ABORT, 'Rows of affiliates_commissionline are only ever added: reverse or reject the commission.'); END"),
                    ('affiliates_commissionline_refuses_delete', 'affiliates_commissionline', "CREATE TRIGGER affiliates_commissionline_refuses_delete BEFORE delete ON affiliates_commissionline BEGIN SELECT RAISE(ABORT, 'Rows of affiliates_commissionline are only ever added: reverse or reject the commission.'); END"),
                    ('affiliates_commissionreversal_refuses_update', 'affiliates_commissionreversal', "CREATE TRIGGER affiliates_commissionreversal_refuses_update BEFORE update ON affiliates_commissionreversal BEGIN SELECT RAISE(ABORT, 'Rows of affiliates_commissionreversal are only ever added: record a further refund.'); END"),
                    ('affiliates_commissionreversal_refuses_delete', 'affiliates_commissionreversal', "CREATE TRIGGER affiliates_commissionreversal_refuses_delete BEFORE delete ON affiliates_commissionreversal BEGIN SELECT RAISE(ABORT, 'Rows of affiliates_commissionreversal are only ever added: record a further refund.'); END"),
                    ('affiliates_commissionevent_refuses_update', 'affiliates_commissionevent', "CREATE TRIGGER affiliates_commissionevent_refuses_update BEFORE update ON affiliates_commissionevent BEGIN SELECT RAISE(ABORT, 'Rows of affiliates_commissionevent are only ever added: add the step that follows.'); END"),
                    ('affiliates_commissionevent_refuses_delete', 'affiliates_commissionevent', "CREATE TRIGGER affiliates_commissionevent_refuses_delete BEFORE delete ON affiliates_commissionevent BEGIN SELECT RAISE(ABORT, 'Rows of affiliates_commissionevent are only ever added: add the step that follows.'); END"),
                    ('affiliates_payoutevent_refuses_update', 'affiliates_payoutevent', "CREATE TRIGGER affiliates_payoutevent_refuses_update BEFORE update ON affiliates_payoutevent BEGIN SELECT RAISE(ABORT, 'Rows of affiliates_payoutevent are only ever added: add the step that follows.'); END"),
                    ('affiliates_payoutevent_refuses_delete', 'affiliates_payoutevent', "CREATE TRIGGER affiliates_payoutevent_refuses_delete BEFORE delete ON affiliates_payoutevent BEGIN SELECT RAISE(ABORT, 'Rows of affiliates_payoutevent are only ever added: add the step that follows.'); END"),
                    ('affiliates_commissionplanversion_refuses_update', 'affiliates_commissionplanversion', "CREATE TRIGGER affiliates_commissionplanversion_refuses_update BEFORE update ON affiliates_commissionplanversion BEGIN SELECT RAISE(ABORT, 'Rows of affiliates_commissionplanversion are only ever added: save the plan, which adds a version.'); END"),
                    ('affiliates_commissionplanversion_refuses_delete', 'affiliates_commissionplanversion', "CREATE TRIGGER affiliates_commissionplanversion_refuses_delete BEFORE delete ON affiliates_commissionplanversion BEGIN SELECT RAISE(ABORT, 'Rows of affiliates_commissionplanversion are only ever added: save the plan, which adds a version.'); END"),
                    ('affiliates_couponcodeversion_refuses_update', 'affiliates_couponcodeversion', "CREATE TRIGGER affiliates_couponcodeversion_refuses_update BEFORE update ON affiliates_couponcodeversion BEGIN SELECT RAISE(ABORT, 'Rows of affiliates_couponcodeversion are only ever added: save the coupon, which adds a version.'); END"),
                    ('affiliates_couponcodeversion_refuses_delete', 'affiliates_couponcodeversion', "CREATE TRIGGER affiliates_couponcodeversion_refuses_delete BEFORE delete ON affiliates_couponcodeversion BEGIN SELECT RAISE(ABORT, 'Rows of affiliates_couponcodeversion are only ever added: save the coupon, which adds a version.'); END"),
                    ('affiliates_attributionpolicyversion_refuses_update', 'affiliates_attributionpolicyversion', "CREATE TRIGGER affiliates_attributionpolicyversion_refuses_update BEFORE update ON affiliates_attributionpolicyversion BEGIN SELECT RAISE(ABORT, 'Rows of affiliates_attributionpolicyversion are only ever added: save the brand, which adds a version.'); END"),
                    ('affiliates_decisionoverride_refuses_update', 'affiliates_decisionoverride', "CREATE TRIGGER affiliates_decisionoverride_refuses_update BEFORE update ON affiliates_decisionoverride BEGIN SELECT RAISE(ABORT, 'Rows of affiliates_decisionoverride are only ever added: override the decision again.'); END"),
                    ('affiliates_decisionoverride_refuses_delete', 'affiliates_decisionoverride', "CREATE TRIGGER affiliates_decisionoverride_refuses_delete BEFORE delete ON affiliates_decisionoverride BEGIN SELECT RAISE(ABORT, 'Rows of affiliates_decisionoverride are only ever added: override the decision again.'); END"),
                    ('affiliates_salereversal_refuses_update', 'affiliates_salereversal', "CREATE TRIGGER affiliates_salereversal_refuses_update BEFORE update ON affiliates_salereversal BEGIN SELECT RAISE(ABORT, 'Rows of affiliates_salereversal are only ever added: record a further refund.'); END"),
                    ('affiliates_salereversal_refuses_delete', 'affiliates_salereversal', "CREATE TRIGGER affiliates_salereversal_refuses_delete BEFORE delete ON affiliates_salereversal BEGIN SELECT RAISE(ABORT, 'Rows of affiliates_salereversal are only ever added: record a further refund.'); END"),
                    ('affiliates_adjustment_refuses_update', 'affiliates_adjustment', "CREATE TRIGGER affiliates_adjustment_refuses_update BEFORE update ON affiliates_adjustment BEGIN SELECT RAISE(ABORT, 'Rows of affiliates_adjustment are only ever added: add one that takes it back.'); END"),
                    ('affiliates_adjustment_refuses_delete', 'affiliates_adjustment', "CREATE TRIGGER affiliates_adjustment_refuses_delete BEFORE delete ON affiliates_adjustment BEGIN SELECT RAISE(ABORT, 'Rows of affiliates_adjustment are only ever added: add one that takes it back.'); END"),
                    ('affiliates_affiliatedeparture_refuses_update', 'affiliates_affiliatedeparture', "CREATE TRIGGER affiliates_affiliatedeparture_refuses_update BEFORE update ON affiliates_affiliatedeparture WHEN NOT (OLD.ended_at IS NULL AND NEW.id IS OLD.id AND NEW.affiliate_id IS OLD.affiliate_id AND NEW.left_at IS OLD.left_at AND NEW.forfeited IS OLD.forfeited AND NEW.is_given_up IS OLD.is_given_up) BEGIN SELECT RAISE(ABORT, 'Rows of affiliates_affiliatedeparture are only ever added: take the affiliate back.'); END"),
                    ('affiliates_affiliatedeparture_refuses_delete', 'affiliates_affiliatedeparture', "CREATE TRIGGER affiliates_affiliatedeparture_refuses_delete BEFORE delete ON affiliates_affiliatedeparture BEGIN SELECT RAISE(ABORT, 'Rows of affiliates_affiliatedeparture are only ever added: take the affiliate back.'); END"),
                    ('affiliates_forfeitedamount_refuses_update', 'affiliates_forfeitedamount', "CREATE TRIGGER affiliates_forfeitedamount_refuses_update BEFORE update ON affiliates_forfeitedamount BEGIN SELECT RAISE(ABORT, 'Rows of affiliates_forfeitedamount are only ever added: give a bonus.'); END"),
                    ('affiliates_forfeitedamount_refuses_delete', 'affiliates_forfeitedamount', "CREATE TRIGGER affiliates_forfeitedamount_refuses_delete BEFORE delete ON affiliates_forfeitedamount BEGIN SELECT RAISE(ABORT, 'Rows of affiliates_forfeitedamount are only ever added: give a bonus.'); END"),
                    ('affiliates_forfeitdeduction_refuses_update', 'affiliates_forfeitdeduction', "CREATE TRIGGER affiliates_forfeitdeduction_refuses_update BEFORE update ON affiliates_forfeitdeduction BEGIN SELECT RAISE(ABORT, 'Rows of affiliates_forfeitdeduction are only ever added: give a bonus.'); END"),
                    ('affiliates_forfeitdeduction_refuses_delete', 'affiliates_forfeitdeduction', "CREATE TRIGGER affiliates_forfeitdeduction_refuses_delete BEFORE delete ON affiliates_forfeitdeduction BEGIN SELECT RAISE(ABORT, 'Rows of affiliates_forfeitdeduction are only ever added: give a bonus.'); END"),
                    ('affiliates_payoutstatement_refuses_update', 'affiliates_payoutstatement', "CREATE TRIGGER affiliates_payoutstatement_refuses_update BEFORE update ON affiliates_payoutstatement BEGIN SELECT RAISE(ABORT, 'Rows of affiliates_payoutstatement are only ever added: issue a credit note.'); END"),
                    ('affiliates_payoutstatement_refuses_delete', 'affiliates_payoutstatement', "CREATE TRIGGER affiliates_payoutstatement_refuses_delete BEFORE delete ON affiliates_payoutstatement BEGIN SELECT RAISE(ABORT, 'Rows of affiliates_payoutstatement are only ever added: issue a credit note.'); END"),
                    ('affiliates_statementgap_refuses_update', 'affiliates_statementgap', "CREATE TRIGGER affiliates_statementgap_refuses_update BEFORE update ON affiliates_statementgap BEGIN SELECT RAISE(ABORT, 'Rows of affiliates_statementgap are only ever added: run affiliates_after_restore for another moment.'); END"),
                    ('affiliates_statementgap_refuses_delete', 'affiliates_statementgap', "CREATE TRIGGER affiliates_statementgap_refuses_delete BEFORE delete ON affiliates_statementgap BEGIN SELECT RAISE(ABORT, 'Rows of affiliates_statementgap are only ever added: run affiliates_after_restore for another moment.'); END"),
                    ('affiliates_ordercandidate_refuses_update', 'affiliates_ordercandidate', "CREATE TRIGGER affiliates_ordercandidate_refuses_update BEFORE update ON affiliates_ordercandidate BEGIN SELECT RAISE(ABORT, 'Rows of affiliates_ordercandidate are only ever added: decide the order again.'); END"),
                    ('affiliates_ordercandidate_refuses_delete', 'affiliates_ordercandidate', "CREATE TRIGGER affiliates_ordercandidate_refuses_delete BEFORE delete ON affiliates_ordercandidate BEGIN SELECT RAISE(ABORT, 'Rows of affiliates_ordercandidate are only ever added: decide the order again.'); END"),
                    ('affiliates_affiliate_has_a_fitting_recruiter_on_insert', 'affiliates_affiliate', "CREATE TRIGGER affiliates_affiliate_has_a_fitting_recruiter_on_insert BEFORE insert ON affiliates_affiliate WHEN NEW.recruiter_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM affiliates_affiliate WHERE id = NEW.recruiter_id AND brand_id = NEW.brand_id AND recruiter_id IS NOT NEW.id) BEGIN SELECT RAISE(ABORT, 'A recruiter is of the same brand, and not recruited by its own recruit.'); END"),
                    ('affiliates_affiliate_has_a_fitting_recruiter_on_update', 'affiliates_affiliate', "CREATE TRIGGER affiliates_affiliate_has_a_fitting_recruiter_on_update BEFORE update of brand_id, recruiter_id ON affiliates_affiliate WHEN NEW.recruiter_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM affiliates_affiliate WHERE id = NEW.recruiter_id AND brand_id = NEW.brand_id AND recruiter_id IS NOT NEW.id) BEGIN SELECT RAISE(ABORT, 'A recruiter is of the same brand, and not recruited by its own recruit.'); END"),
                ),
            },
        ),
    ]
