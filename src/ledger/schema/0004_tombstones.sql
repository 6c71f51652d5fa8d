CREATE TABLE ql3_ai.model_invocation_prompt_output_artifact_tombstones (
    artifact_id              varchar(128) PRIMARY KEY,
    project_id               varchar(128) NOT NULL,
    run_id                   varchar(36)  NOT NULL,
    step_run_id              varchar(128) NOT NULL,
    invocation_id            varchar(128) NOT NULL UNIQUE,
    artifact_digest          char(64)     NOT NULL UNIQUE,
    retention_policy_digest  char(64)     NOT NULL,
    retention_eligible_at_ms bigint       NOT NULL,
    key_id                   varchar(128) NOT NULL,
    tombstoned_at_ms         bigint       NOT NULL,
    tombstone_digest         char(64)     NOT NULL UNIQUE,
    tombstone_json           jsonb        NOT NULL,
    CONSTRAINT ql3_ai_prompt_output_tombstone_admission_fk
        FOREIGN KEY (invocation_id)
        REFERENCES ql3_ai.model_invocation_prompt_admissions (invocation_id) ON DELETE RESTRICT,
    CONSTRAINT ql3_ai_prompt_output_tombstone_start_fk
        FOREIGN KEY (invocation_id)
        REFERENCES ql3_ai.model_invocation_starts (invocation_id) ON DELETE RESTRICT,
    CONSTRAINT ql3_ai_prompt_output_tombstone_step_fk
        FOREIGN KEY (run_id, step_run_id)
        REFERENCES ql3.step_runs (run_id, id) ON DELETE RESTRICT,
    CONSTRAINT ql3_ai_prompt_output_tombstone_identity_check CHECK (
        run_id ~ '^[A-Za-z0-9][A-Za-z0-9._:-]{0,35}$'
        AND key_id ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$'
        AND artifact_id ~ '^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$'
        AND project_id ~ '^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$'
        AND step_run_id ~ '^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$'
        AND invocation_id ~ '^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$'
    ),
    CONSTRAINT ql3_ai_prompt_output_tombstone_value_check CHECK (
        artifact_digest ~ '^[0-9a-f]{64}$'
        AND retention_policy_digest ~ '^[0-9a-f]{64}$'
        AND tombstone_digest ~ '^[0-9a-f]{64}$'
        AND retention_eligible_at_ms >= 0
        AND tombstoned_at_ms >= retention_eligible_at_ms
    ),
    CONSTRAINT ql3_ai_prompt_output_tombstone_json_check CHECK (
        jsonb_typeof(tombstone_json) = 'object'
        AND octet_length(tombstone_json::text) BETWEEN 2 AND 8192
        AND tombstone_json @> jsonb_build_object(
            'schema', 'qinglong/plugin-package-prompt-output-artifact-tombstone@v1',
            'reference', jsonb_build_object(
                'artifactId', artifact_id,
                'projectId', project_id,
                'runId', run_id,
                'stepRunId', step_run_id,
                'invocationId', invocation_id,
                'artifactDigest', artifact_digest,
                'retentionPolicyDigest', retention_policy_digest,
                'retentionEligibleAtMs', retention_eligible_at_ms,
                'keyId', key_id
            ),
            'tombstonedAtMs', tombstoned_at_ms,
            'tombstoneDigest', tombstone_digest
        )
    )
);

CREATE INDEX ql3_ai_prompt_output_tombstone_time_idx
    ON ql3_ai.model_invocation_prompt_output_artifact_tombstones (tombstoned_at_ms, artifact_id);

CREATE INDEX ql3_ai_prompt_output_tombstone_project_run_idx
    ON ql3_ai.model_invocation_prompt_output_artifact_tombstones (project_id, run_id, artifact_id);

REVOKE ALL ON ql3_ai.model_invocation_prompt_output_artifact_tombstones FROM PUBLIC;
