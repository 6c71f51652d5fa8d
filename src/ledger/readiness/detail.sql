-- One row for each expected privilege: the role, whether role and object are there, whether the privilege is held,
-- and, where it must not be, whose grants give it.
SELECT pg_catalog.quote_ident(e.who),
       w.oid IS NOT NULL,
       o.oid IS NOT NULL,
       p.holds,
       CASE WHEN p.holds AND NOT e.wanted THEN
           (SELECT pg_catalog.string_agg(CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END, ', ')
              FROM pg_catalog.aclexplode(o.acl) a
             WHERE a.privilege_type = e.privilege
               AND (a.grantee = 0 OR pg_catalog.pg_has_role(w.oid, a.grantee, 'USAGE')))
       END
  FROM (SELECT CASE who WHEN '' THEN current_user::text ELSE who END AS who,
               schema, name, kind, privilege, wanted, position
          FROM unnest($1, $2, $3, $4, $5, $6)
               WITH ORDINALITY AS u (who, schema, name, kind, privilege, wanted, position)) e
  LEFT JOIN pg_catalog.pg_roles w ON w.rolname = e.who
  LEFT JOIN LATERAL (
      SELECT c.oid, c.relacl AS acl
        FROM pg_catalog.pg_class c
        JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
       WHERE e.kind = 'table' AND n.nspname = e.schema AND c.relname = e.name
       UNION ALL
      SELECT n.oid, n.nspacl
        FROM pg_catalog.pg_namespace n
       WHERE e.kind = 'schema' AND n.nspname = e.name
       UNION ALL
      SELECT r.oid, NULL
        FROM pg_catalog.pg_roles r
       WHERE e.kind = 'role' AND r.rolname = e.name) o ON true
 CROSS JOIN LATERAL (
      SELECT COALESCE(CASE e.kind
                          WHEN 'table' THEN pg_catalog.has_table_privilege(w.oid, o.oid, e.privilege)
                          WHEN 'schema' THEN pg_catalog.has_schema_privilege(w.oid, o.oid, e.privilege)
                          ELSE pg_catalog.pg_has_role(w.oid, o.oid, e.privilege)
                      END, false) AS holds) p
 ORDER BY e.position
