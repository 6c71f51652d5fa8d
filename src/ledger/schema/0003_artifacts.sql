CREATE TABLE ql3_ai.model_invocation_prompt_output_artifacts (
    artifact_id               varchar(128) PRIMARY KEY,
    project_id                varchar(128) NOT NULL,
    run_id                    varchar(36)  NOT NULL,
    step_run_id               varchar(128) NOT NULL,
    invocation_id             varchar(128) NOT NULL UNIQUE,
    requested_by_type         varchar(32)  NOT NULL,
    requested_by_id           varchar(128) NOT NULL,
    provider                  varchar(256) NOT NULL,
    model                     varchar(256) NOT NULL,
    content_digest            char(64)     NOT NULL,
    output_bytes              integer      NOT NULL,
    retention_policy_revision varchar(128) NOT NULL,
    retention_ms              bigint       NOT NULL,
    retention_policy_digest   char(64)     NOT NULL,
    retention_eligible_at_ms  bigint       NOT NULL,
    key_id                    varchar(128) NOT NULL,
    algorithm                 varchar(16)  NOT NULL,
    plaintext_bytes           integer      NOT NULL,
    sealed_at_ms              bigint       NOT NULL,
    artifact_digest           char(64)     NOT NULL UNIQUE,
    artifact_json             jsonb        NOT NULL,
    CONSTRAINT ql3_ai_prompt_output_artifact_admission_fk
        FOREIGN KEY (invocation_id)
        REFERENCES ql3_ai.model_invocation_prompt_admissions (invocation_id) ON DELETE RESTRICT,
    CONSTRAINT ql3_ai_prompt_output_artifact_start_fk
        FOREIGN KEY (invocation_id)
        REFERENCES ql3_ai.model_invocation_starts (invocation_id) ON DELETE RESTRICT,
    CONSTRAINT ql3_ai_prompt_output_artifact_step_fk
        FOREIGN KEY (run_id, step_run_id)
        REFERENCES ql3.step_runs (run_id, id) ON DELETE RESTRICT,
    CONSTRAINT ql3_ai_prompt_output_artifact_identity_check CHECK (
        run_id ~ '^[A-Za-z0-9][A-Za-z0-9._:-]{0,35}$'
        AND key_id ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$'
        AND artifact_id ~ '^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$'
        AND project_id ~ '^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$'
        AND step_run_id ~ '^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$'
        AND invocation_id ~ '^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$'
        AND requested_by_id ~ '^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$'
        AND retention_policy_revision ~ '^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$'
        AND requested_by_type <> ''
        AND provider <> ''
        AND model <> ''
        AND algorithm = 'aes-256-gcm'
    ),
    CONSTRAINT ql3_ai_prompt_output_artifact_value_check CHECK (
        content_digest ~ '^[0-9a-f]{64}$'
        AND retention_policy_digest ~ '^[0-9a-f]{64}$'
        AND artifact_digest ~ '^[0-9a-f]{64}$'
        AND output_bytes BETWEEN 0 AND 1048576
        AND plaintext_bytes BETWEEN 1 AND 1052672
        AND retention_ms BETWEEN 3600000 AND 31536000000
        AND sealed_at_ms >= 0
        AND retention_eligible_at_ms = sealed_at_ms + retention_ms
    ),
    CONSTRAINT ql3_ai_prompt_output_artifact_json_check CHECK (
        jsonb_typeof(artifact_json) = 'object'
        AND octet_length(artifact_json::text) BETWEEN 2 AND 1572864
        AND artifact_json @> jsonb_build_object(
            'schema', 'qinglong/plugin-package-prompt-output-artifact@v1',
            'artifactId', artifact_id,
            'projectId', project_id,
            'runId', run_id,
            'stepRunId', step_run_id,
            'invocationId', invocation_id,
            'requestedBy', jsonb_build_object('type', requested_by_type, 'id', requested_by_id),
            'provider', provider,
            'model', model,
            'contentDigest', content_digest,
            'outputBytes', output_bytes,
            'retentionPolicy',
                jsonb_build_object('revision', retention_policy_revision, 'retentionMs', retention_ms),
            'retentionPolicyDigest', retention_policy_digest,
            'retentionEligibleAtMs', retention_eligible_at_ms,
            'keyId', key_id,
            'algorithm', algorithm,
            'plaintextBytes', plaintext_bytes,
            'sealedAtMs', sealed_at_ms,
            'artifactDigest', artifact_digest
        )
    )
);

CREATE INDEX ql3_ai_prompt_output_artifact_retention_idx
    ON ql3_ai.model_invocation_prompt_output_artifacts (retention_eligible_at_ms, artifact_id);

CREATE INDEX ql3_ai_prompt_output_artifact_project_run_idx
    ON ql3_ai.model_invocation_prompt_output_artifacts (project_id, run_id, artifact_id);

REVOKE ALL ON ql3_ai.model_invocation_prompt_output_artifacts FROM PUBLIC;
