CREATE SCHEMA IF NOT EXISTS ql3;

CREATE SCHEMA IF NOT EXISTS ql3_ai;

REVOKE ALL ON SCHEMA ql3, ql3_ai FROM PUBLIC;

CREATE TABLE ql3_ai.ai_schema_migrations (
    migration_id  varchar(128) PRIMARY KEY,
    stream_id     varchar(64)  NOT NULL,
    dialect       varchar(16)  NOT NULL CHECK (dialect = 'postgresql'),
    checksum      char(64)     NOT NULL CHECK (checksum ~ '^[0-9a-f]{64}$'),
    applied_at_ms bigint       NOT NULL CHECK (applied_at_ms >= 0)
);

REVOKE ALL ON ql3_ai.ai_schema_migrations FROM PUBLIC;
