CREATE TABLE ql3.runs (
    id varchar(36) PRIMARY KEY
);

CREATE TABLE ql3.step_runs (
    run_id varchar(36)  NOT NULL REFERENCES ql3.runs (id) ON DELETE RESTRICT,
    id     varchar(128) NOT NULL,
    PRIMARY KEY (run_id, id)
);

CREATE TABLE ql3_ai.model_invocation_starts (
    invocation_id varchar(128) PRIMARY KEY
);

CREATE TABLE ql3_ai.model_invocation_completions (
    invocation_id varchar(128) PRIMARY KEY,
    FOREIGN KEY (invocation_id) REFERENCES ql3_ai.model_invocation_starts (invocation_id) ON DELETE RESTRICT
);

CREATE TABLE ql3_ai.model_invocation_prompt_admissions (
    request_id    varchar(128) PRIMARY KEY,
    invocation_id varchar(128) NOT NULL UNIQUE
);

CREATE TABLE ql3_ai.model_invocation_prompt_finalizations (
    request_id varchar(128) PRIMARY KEY,
    FOREIGN KEY (request_id) REFERENCES ql3_ai.model_invocation_prompt_admissions (request_id) ON DELETE RESTRICT
);

REVOKE ALL ON ql3.runs,
              ql3.step_runs,
              ql3_ai.model_invocation_starts,
              ql3_ai.model_invocation_completions,
              ql3_ai.model_invocation_prompt_admissions,
              ql3_ai.model_invocation_prompt_finalizations
    FROM PUBLIC;
