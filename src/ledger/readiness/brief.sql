-- Who we are, and whether everything is as expected. A missing role, schema or table is an error.
SELECT current_user::text,
       pg_catalog.bool_and(e.wanted = CASE e.kind
           WHEN 'table' THEN pg_catalog.has_table_privilege(e.who, e.schema || '.' || e.name, e.privilege)
           WHEN 'schema' THEN pg_catalog.has_schema_privilege(e.who, e.name, e.privilege)
           ELSE pg_catalog.pg_has_role(e.who, e.name, e.privilege)
       END)
  FROM (SELECT CASE who WHEN '' THEN current_user::text ELSE who END AS who, schema, name, kind, privilege, wanted
          FROM unnest($1, $2, $3, $4, $5, $6) AS u (who, schema, name, kind, privilege, wanted)) e
