CREATE TABLE ql3_ai.model_invocation_prompt_output_key_rotation_preparations (
    rotation_id             varchar(128) PRIMARY KEY,
    request_id              varchar(128) NOT NULL UNIQUE,
    mutation_id             varchar(128) NOT NULL UNIQUE,
    expected_secret_uid     varchar(128) NOT NULL,
    expected_active_key_id  varchar(128) NOT NULL,
    expected_catalog_digest char(64)     NOT NULL,
    new_key_id              varchar(128) NOT NULL UNIQUE,
    material_proof          char(64)     NOT NULL,
    prepared_at_ms          bigint       NOT NULL,
    preparation_digest      char(64)     NOT NULL UNIQUE,
    preparation_json        jsonb        NOT NULL,
    CONSTRAINT ql3_ai_prompt_key_rotation_preparation_fk_uidx
        UNIQUE (rotation_id, preparation_digest),
    CONSTRAINT ql3_ai_prompt_key_rotation_source_uidx
        UNIQUE (expected_secret_uid, expected_catalog_digest),
    CONSTRAINT ql3_ai_prompt_key_rotation_preparation_identity_check CHECK (
        rotation_id ~ '^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$'
        AND request_id ~ '^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$'
        AND mutation_id ~ '^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$'
        AND expected_secret_uid ~ '^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$'
        AND expected_active_key_id ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$'
        AND new_key_id ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$'
        AND new_key_id <> expected_active_key_id
    ),
    CONSTRAINT ql3_ai_prompt_key_rotation_preparation_value_check CHECK (
        expected_catalog_digest ~ '^[0-9a-f]{64}$'
        AND material_proof ~ '^[0-9a-f]{64}$'
        AND preparation_digest ~ '^[0-9a-f]{64}$'
        AND prepared_at_ms >= 0
    ),
    CONSTRAINT ql3_ai_prompt_key_rotation_preparation_json_check CHECK (
        jsonb_typeof(preparation_json) = 'object'
        AND octet_length(preparation_json::text) BETWEEN 2 AND 8192
        AND preparation_json @> jsonb_build_object(
            'schema', 'qinglong/plugin-package-prompt-output-key-rotation-preparation@v1',
            'rotationId', rotation_id,
            'requestId', request_id,
            'mutationId', mutation_id,
            'expectedSecretUid', expected_secret_uid,
            'expectedActiveKeyId', expected_active_key_id,
            'expectedCatalogDigest', expected_catalog_digest,
            'newKeyId', new_key_id,
            'materialProof', material_proof,
            'preparedAtMs', prepared_at_ms,
            'preparationDigest', preparation_digest
        )
    )
);

CREATE TABLE ql3_ai.model_invocation_prompt_output_key_rotation_completions (
    rotation_id            varchar(128) PRIMARY KEY,
    request_id             varchar(128) NOT NULL UNIQUE,
    mutation_id            varchar(128) NOT NULL UNIQUE,
    preparation_digest     char(64)     NOT NULL UNIQUE,
    generation             bigint       NOT NULL,
    previous_active_key_id varchar(128) NOT NULL,
    active_key_id          varchar(128) NOT NULL,
    catalog_digest         char(64)     NOT NULL,
    material_proof         char(64)     NOT NULL,
    completed_at_ms        bigint       NOT NULL,
    completion_digest      char(64)     NOT NULL UNIQUE,
    completion_json        jsonb        NOT NULL,
    CONSTRAINT ql3_ai_prompt_key_rotation_completion_preparation_fk
        FOREIGN KEY (rotation_id, preparation_digest)
        REFERENCES ql3_ai.model_invocation_prompt_output_key_rotation_preparations
            (rotation_id, preparation_digest) ON DELETE RESTRICT,
    CONSTRAINT ql3_ai_prompt_key_rotation_completion_identity_check CHECK (
        rotation_id ~ '^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$'
        AND request_id ~ '^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$'
        AND mutation_id ~ '^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$'
        AND previous_active_key_id ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$'
        AND active_key_id ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$'
        AND active_key_id <> previous_active_key_id
    ),
    CONSTRAINT ql3_ai_prompt_key_rotation_completion_value_check CHECK (
        preparation_digest ~ '^[0-9a-f]{64}$'
        AND catalog_digest ~ '^[0-9a-f]{64}$'
        AND material_proof ~ '^[0-9a-f]{64}$'
        AND completion_digest ~ '^[0-9a-f]{64}$'
        AND generation BETWEEN 2 AND 9007199254740991
        AND completed_at_ms >= 0
    ),
    CONSTRAINT ql3_ai_prompt_key_rotation_completion_json_check CHECK (
        jsonb_typeof(completion_json) = 'object'
        AND octet_length(completion_json::text) BETWEEN 2 AND 8192
        AND completion_json @> jsonb_build_object(
            'schema', 'qinglong/plugin-package-prompt-output-key-rotation-completion@v1',
            'rotationId', rotation_id,
            'requestId', request_id,
            'mutationId', mutation_id,
            'preparationDigest', preparation_digest,
            'generation', generation,
            'previousActiveKeyId', previous_active_key_id,
            'activeKeyId', active_key_id,
            'catalogDigest', catalog_digest,
            'materialProof', material_proof,
            'completedAtMs', completed_at_ms,
            'completionDigest', completion_digest
        )
    )
);

CREATE INDEX ql3_ai_prompt_key_rotation_completion_time_idx
    ON ql3_ai.model_invocation_prompt_output_key_rotation_completions (completed_at_ms, rotation_id);

REVOKE ALL ON ql3_ai.model_invocation_prompt_output_key_rotation_preparations,
              ql3_ai.model_invocation_prompt_output_key_rotation_completions
    FROM PUBLIC;
