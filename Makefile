# make demo       serve the demonstration and its year on loopback (PORT=8000, NETWORK_PORT=8900, EMPTY=1)
# make pictures   draw the pictures of README and documentation from the demonstration
# make test       run the tests, on SQLite unless DATABASE_URL says otherwise
# make test-sites run those of whole hosts, and random tests and sweeps briefly
# make test-long  run random tests, sweeps and faults at length, on SQLite and PostgreSQL
# make cluster    start deploy/many/ on this machine, use it, and lose parts of it
# make debian     type the commands of docs/quickstart.md on a Debian with nothing on it, booted by systemd
# make faults     start it again, and break each part of it under load: a table of what was lost
# make mutants    break the code in known ways and see the tests fail
# make check      everything a change must pass, as far as SQLite shows it
# make docs       build the documentation into site/
# make bench      measure the visit endpoint
# make package    build the wheel, the source archive and the bill of materials into dist/
# make matrix     test it as others install it: every Python, Django and database (CELLS="--python 3.12")
# make lock       write requirements*.txt anew, with digests, from requirements*.in
# make audit      compare them with known vulnerabilities, or with those of the stored day
# make advisories store the known vulnerabilities of today
#
# Each needs Python 3.11 and make only: the first run fills the virtual environment.

VENV ?= .venv
# Which tests `make test` runs. Empty: all of them, briefly.
MARKED ?= not site and not long
# What the runs of tests print of their CPU (tests/cost.py), as COSTS=--costs=50.
COSTS ?= --costs=10
PORT ?= 8000
NETWORK_PORT ?= 8900
POSTGRES_URL ?= postgres:///postgres
CAN_LISTEN := import socket, sys; s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1); s.bind(("127.0.0.1", int(sys.argv[1])))
# What a run has compiled the next ones, and the processes that tests start, read.
unexport PYTHONDONTWRITEBYTECODE
PYTHON := $(VENV)/bin/python
BASE_PYTHON := $(shell command -v python3.11 || command -v python3)
RUNTIME := $(VENV)/.runtime-installed
DEVELOPMENT := $(VENV)/.development-installed
PIP := $(PYTHON) -m pip install --quiet --disable-pip-version-check

.DEFAULT_GOAL := help
.PHONY: help demo pictures test test-sites test-long cluster debian faults mutants check bench lint types contracts templates migrations deploy-check docs tests-bare package matrix lock audit advisories environment

help:
	@sed -n 's/^# make/make/p' Makefile

demo: export HTTPS = off
demo: export DEMO_GATEWAY = on
demo: export STOREFRONT_ORIGIN = http://shop.localhost:$(PORT)
demo: export AFFILIATES_TRACKING_ALLOWED_HOSTS = 127.0.0.1:$(NETWORK_PORT)
# E-mails are printed here instead of sent.
demo: export EMAIL_URL = consolemail://
demo: $(RUNTIME)
	@for port in $(PORT) $(NETWORK_PORT); do $(PYTHON) -c '$(CAN_LISTEN)' $$port 2>/dev/null \
		|| { echo "Port $$port cannot be used here. Choose others: make demo PORT=8010 NETWORK_PORT=8910" >&2; exit 1; }; done
	@echo "Preparing the database.$(if $(EMPTY),, Twelve months follow: make demo EMPTY=1 begins without them.)"
	@$(PYTHON) manage.py migrate --verbosity 0
	@$(PYTHON) manage.py seed_demo $(if $(EMPTY),,--year) --port $(PORT) --tracker http://127.0.0.1:$(NETWORK_PORT) --guide
	@echo "Serving on ports $(PORT) and $(NETWORK_PORT). Ctrl-C stops everything."
	@set --; trap 'kill "$$@" 2>/dev/null; wait' EXIT; trap 'exit 0' INT TERM HUP; \
	$(PYTHON) -m portal.demo.network --port $(NETWORK_PORT) >/dev/null & set -- $$!; \
	$(PYTHON) manage.py affiliates_worker & set -- "$$@" $$!; \
	$(VENV)/bin/granian --interface wsgi portal.wsgi:application \
		--host 127.0.0.1 --port $(PORT) --workers 1 --blocking-threads 8 --workers-kill-timeout 3 --log-level error & \
	set -- "$$@" $$!; wait $$!

pictures: $(DEVELOPMENT)
	$(PYTHON) -m docs.pictures

test: $(DEVELOPMENT)
	$(PYTHON) -m pytest -n auto --dist loadgroup -m "$(MARKED)" $(COSTS)

test-sites: $(DEVELOPMENT)
	$(PYTHON) -m pytest -n auto --dist loadgroup -m "site or long" $(COSTS)

# The contract asks nothing of a database that others do not: on SQLite alone.
test-long: export LONG_TESTS = on
test-long: mutants $(DEVELOPMENT)
	$(PYTHON) -m pytest -n auto --dist loadgroup -m long
	DATABASE_URL=$(POSTGRES_URL) $(PYTHON) -m pytest -n auto --dist loadgroup -m "long and database" \
		--ignore=tests/browser --ignore=tests/contract
	DATABASE_URL=$(POSTGRES_URL) $(PYTHON) -m pytest -n auto --dist loadgroup -m "database and not site" \
		--ds=tests.hosts.bare.settings tests/affiliates tests/hosts

faults: $(DEVELOPMENT)
	timeout --signal=INT 2400 $(PYTHON) -m pytest -q -s -n 0 -p no:randomly tests/cluster/faults/suite.py

cluster: $(DEVELOPMENT)
	timeout --signal=INT 600 $(PYTHON) -m pytest -q -n 0 -p no:randomly tests/cluster/suite.py

debian: $(DEVELOPMENT)
	timeout --signal=INT 1800 $(PYTHON) -m pytest -q -n 0 -p no:randomly tests/deploy/debian/suite.py

mutants: $(DEVELOPMENT)
	$(PYTHON) -m tests.mutants

check: lint types contracts templates migrations deploy-check audit docs test test-sites tests-bare

bench: $(DEVELOPMENT)
	$(PYTHON) -m benchmarks.visits

lint: $(DEVELOPMENT)
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .

types: $(DEVELOPMENT)
	$(PYTHON) -m mypy

contracts: $(DEVELOPMENT)
	$(VENV)/bin/lint-imports

templates: $(DEVELOPMENT)
	$(VENV)/bin/djlint --lint templates affiliates portal/templates portal/demo/templates

migrations: $(DEVELOPMENT)
	$(PYTHON) manage.py makemigrations --check --dry-run

# With the environment of a production server, whatever the .env here says.
deploy-check: $(DEVELOPMENT)
	HTTPS=on DEBUG=off DEMO_GATEWAY=off ALLOWED_HOSTS=api.example.com \
		SECRET_KEY="$$($(PYTHON) -c 'import secrets; print(secrets.token_urlsafe(48))')" \
		AFFILIATES_COOKIE_KEYS="1:$$($(PYTHON) -c 'import base64, secrets; print(base64.b64encode(secrets.token_bytes(32)).decode())')" \
		$(PYTHON) manage.py check --deploy --fail-level WARNING

tests-bare: $(DEVELOPMENT)
	$(PYTHON) -m pytest -n auto --dist loadgroup -m "not site and not long" \
		--ds=tests.hosts.bare.settings tests/affiliates tests/hosts

docs: $(DEVELOPMENT)
	$(PYTHON) -m mkdocs build --strict --quiet

package: $(DEVELOPMENT)
	$(PYTHON) -m supply.release

matrix: $(DEVELOPMENT)
	$(PYTHON) -m tests.package --write $(CELLS)

# The package's own ranges are asked too: a pin that they forbid has no solution.
LOCK = $(VENV)/bin/uv pip compile --quiet --no-config --universal --python-version 3.11 \
	--generate-hashes --no-annotate --default-index https://pypi.org/simple \
	--custom-compile-command "make lock" pyproject.toml

lock: $(DEVELOPMENT)
	$(LOCK) requirements.in --output-file requirements.txt
	$(LOCK) requirements-dev.in --constraint requirements.txt --output-file requirements-dev.txt

audit: $(DEVELOPMENT)
	$(PYTHON) -m supply.audit

advisories: $(DEVELOPMENT)
	$(PYTHON) -m supply.audit --store

environment: $(DEVELOPMENT)

$(RUNTIME): requirements.txt | $(PYTHON)
	$(PIP) --require-hashes -r requirements.txt
	@touch $@

# affiliates itself from this working tree: what runs elsewhere imports it too.
$(DEVELOPMENT): requirements-dev.txt | $(PYTHON)
	$(PIP) --require-hashes -r requirements-dev.txt
	$(PIP) --no-index --no-deps --no-build-isolation --editable .
	@touch $@

$(PYTHON):
	@test -n "$(BASE_PYTHON)" && $(BASE_PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Python 3.11 or later is needed." >&2; exit 1; }
	$(BASE_PYTHON) -m venv $(VENV)
