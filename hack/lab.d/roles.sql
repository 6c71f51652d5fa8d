-- The roles of QingLong 3 and its database. Passwords are set where a server is made.

CREATE ROLE ql3_migration LOGIN;

CREATE ROLE ql3_ai_maintenance LOGIN CONNECTION LIMIT 4;

-- Named by grants and by the readiness queries; nobody logs in as them here.
CREATE ROLE ql3_admin;

CREATE ROLE ql3_ai_credential_manager;

CREATE ROLE ql3_ai_credential_tester;

CREATE ROLE ql3_approval_manager;

CREATE ROLE ql3_automation_manager;

CREATE ROLE ql3_package_executor;

CREATE ROLE ql3_package_manager;

CREATE ROLE ql3_run_manager;

CREATE ROLE ql3_runtime;

CREATE ROLE ql3_worker_credential_executor;

CREATE ROLE ql3_worker_credential_manager;

CREATE ROLE ql3_worker_ingress;

CREATE DATABASE qinglong OWNER ql3_migration;

