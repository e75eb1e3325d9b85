-- Grants a role what it needs to run debates in the schema of its team. Run it as the owner of the tables once they exist
-- (`rebut worker --check` creates them), and again after an upgrade:
--
--   psql -v schema=rebut -v role=rebut_worker -f deploy/roles.sql
GRANT USAGE ON SCHEMA :"schema" TO :"role";
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA :"schema" TO :"role";
REVOKE INSERT, UPDATE, DELETE ON :"schema".migrations FROM :"role";
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA :"schema" TO :"role";
