DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'ql3_runtime') THEN
        REVOKE ALL ON ALL TABLES IN SCHEMA ql3_ai FROM ql3_runtime;
        GRANT USAGE ON SCHEMA ql3, ql3_ai TO ql3_runtime;
        GRANT SELECT, INSERT ON ql3_ai.model_invocation_prompt_output_artifacts TO ql3_runtime;
        GRANT SELECT ON ql3_ai.model_invocation_prompt_output_artifact_tombstones,
                        ql3_ai.model_invocation_prompt_output_key_retirement_preparations
           TO ql3_runtime;
    END IF;
END
$$;

DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'ql3_ai_maintenance') THEN
        EXECUTE format('GRANT CONNECT ON DATABASE %I TO ql3_ai_maintenance', current_database());
        REVOKE ALL ON SCHEMA ql3, ql3_ai FROM ql3_ai_maintenance;
        REVOKE ALL ON ALL TABLES IN SCHEMA ql3, ql3_ai FROM ql3_ai_maintenance;
        GRANT USAGE ON SCHEMA ql3, ql3_ai TO ql3_ai_maintenance;
        GRANT SELECT ON ql3.runs,
                        ql3.step_runs,
                        ql3_ai.ai_schema_migrations,
                        ql3_ai.model_invocation_completions,
                        ql3_ai.model_invocation_prompt_admissions,
                        ql3_ai.model_invocation_prompt_finalizations
           TO ql3_ai_maintenance;
        GRANT SELECT, DELETE ON ql3_ai.model_invocation_prompt_output_artifacts TO ql3_ai_maintenance;
        GRANT SELECT, INSERT ON ql3_ai.model_invocation_prompt_output_artifact_tombstones,
                                ql3_ai.model_invocation_prompt_output_key_retirement_preparations,
                                ql3_ai.model_invocation_prompt_output_key_retirement_completions,
                                ql3_ai.model_invocation_prompt_output_key_rotation_preparations,
                                ql3_ai.model_invocation_prompt_output_key_rotation_completions
           TO ql3_ai_maintenance;
    END IF;
END
$$;

DO $$
DECLARE
    stranger text;
BEGIN
    FOR stranger IN
        SELECT rolname
          FROM pg_catalog.pg_roles
         WHERE rolname IN ('ql3_admin', 'ql3_package_manager', 'ql3_package_executor', 'ql3_automation_manager',
                           'ql3_worker_ingress', 'ql3_worker_credential_manager',
                           'ql3_worker_credential_executor', 'ql3_ai_credential_manager',
                           'ql3_ai_credential_tester')
    LOOP
        EXECUTE format('REVOKE ALL ON ql3_ai.model_invocation_prompt_output_key_rotation_preparations, '
                       'ql3_ai.model_invocation_prompt_output_key_rotation_completions FROM %I', stranger);
    END LOOP;
END
$$;
