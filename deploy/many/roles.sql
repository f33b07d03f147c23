-- Once, on the first primary: psql --file roles.sql, as postgres.
CREATE ROLE affiliates LOGIN PASSWORD 'AFFILIATES_PASSWORD';
CREATE ROLE replicator LOGIN REPLICATION PASSWORD 'REPLICATOR_PASSWORD';
CREATE DATABASE affiliates OWNER affiliates;
