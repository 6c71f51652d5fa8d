CREATE TABLE ql3_ai.model_invocation_prompt_output_key_retirement_preparations (
    key_id             varchar(128) PRIMARY KEY,
    retirement_id      varchar(128) NOT NULL UNIQUE,
    request_id         varchar(128) NOT NULL UNIQUE,
    mutation_id        varchar(128) NOT NULL UNIQUE,
    catalog_digest     char(64)     NOT NULL,
    material_proof     char(64)     NOT NULL,
    prepared_at_ms     bigint       NOT NULL,
    preparation_digest char(64)     NOT NULL UNIQUE,
    preparation_json   jsonb        NOT NULL,
    CONSTRAINT ql3_ai_prompt_output_key_retirement_preparation_fk_uidx
        UNIQUE (key_id, preparation_digest),
    CONSTRAINT ql3_ai_prompt_output_key_retirement_preparation_identity_check CHECK (
        key_id ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$'
        AND retirement_id ~ '^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$'
        AND request_id ~ '^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$'
        AND mutation_id ~ '^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$'
    ),
    CONSTRAINT ql3_ai_prompt_output_key_retirement_preparation_value_check CHECK (
        catalog_digest ~ '^[0-9a-f]{64}$'
        AND material_proof ~ '^[0-9a-f]{64}$'
        AND preparation_digest ~ '^[0-9a-f]{64}$'
        AND prepared_at_ms >= 0
    ),
    CONSTRAINT ql3_ai_prompt_output_key_retirement_preparation_json_check CHECK (
        jsonb_typeof(preparation_json) = 'object'
        AND octet_length(preparation_json::text) BETWEEN 2 AND 8192
        AND preparation_json @> jsonb_build_object(
            'schema', 'qinglong/plugin-package-prompt-output-key-retirement-preparation@v1',
            'keyId', key_id,
            'retirementId', retirement_id,
            'requestId', request_id,
            'mutationId', mutation_id,
            'catalogDigest', catalog_digest,
            'materialProof', material_proof,
            'preparedAtMs', prepared_at_ms,
            'preparationDigest', preparation_digest
        )
    )
);

CREATE TABLE ql3_ai.model_invocation_prompt_output_key_retirement_completions (
    key_id                 varchar(128) PRIMARY KEY,
    retirement_id          varchar(128) NOT NULL UNIQUE,
    request_id             varchar(128) NOT NULL UNIQUE,
    mutation_id            varchar(128) NOT NULL UNIQUE,
    preparation_digest     char(64)     NOT NULL UNIQUE,
    retired_catalog_digest char(64)     NOT NULL,
    absence_proof          char(64)     NOT NULL,
    completed_at_ms        bigint       NOT NULL,
    completion_digest      char(64)     NOT NULL UNIQUE,
    completion_json        jsonb        NOT NULL,
    CONSTRAINT ql3_ai_prompt_output_key_retirement_completion_preparation_fk
        FOREIGN KEY (key_id, preparation_digest)
        REFERENCES ql3_ai.model_invocation_prompt_output_key_retirement_preparations
            (key_id, preparation_digest) ON DELETE RESTRICT,
    CONSTRAINT ql3_ai_prompt_output_key_retirement_completion_identity_check CHECK (
        key_id ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$'
        AND retirement_id ~ '^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$'
        AND request_id ~ '^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$'
        AND mutation_id ~ '^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$'
    ),
    CONSTRAINT ql3_ai_prompt_output_key_retirement_completion_value_check CHECK (
        preparation_digest ~ '^[0-9a-f]{64}$'
        AND retired_catalog_digest ~ '^[0-9a-f]{64}$'
        AND absence_proof ~ '^[0-9a-f]{64}$'
        AND completion_digest ~ '^[0-9a-f]{64}$'
        AND completed_at_ms >= 0
    ),
    CONSTRAINT ql3_ai_prompt_output_key_retirement_completion_json_check CHECK (
        jsonb_typeof(completion_json) = 'object'
        AND octet_length(completion_json::text) BETWEEN 2 AND 8192
        AND completion_json @> jsonb_build_object(
            'schema', 'qinglong/plugin-package-prompt-output-key-retirement-completion@v1',
            'keyId', key_id,
            'retirementId', retirement_id,
            'requestId', request_id,
            'mutationId', mutation_id,
            'preparationDigest', preparation_digest,
            'retiredCatalogDigest', retired_catalog_digest,
            'absenceProof', absence_proof,
            'completedAtMs', completed_at_ms,
            'completionDigest', completion_digest
        )
    )
);

CREATE INDEX ql3_ai_prompt_output_key_retirement_completion_time_idx
    ON ql3_ai.model_invocation_prompt_output_key_retirement_completions (completed_at_ms, key_id);

REVOKE ALL ON ql3_ai.model_invocation_prompt_output_key_retirement_preparations,
              ql3_ai.model_invocation_prompt_output_key_retirement_completions
    FROM PUBLIC;
