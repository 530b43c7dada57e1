-- Drops the oldest daily partition of `attempts` when all its attempts are more than p_days + 1 days old (one day at least).
-- Returns its name; NULL when there is none.
--
-- It works with the privileges of its owner, so that the role of the service need not be able to drop tables. It finds its
-- schema, and then other names, as make_attempt_partitions does.
CREATE OR REPLACE FUNCTION drop_attempt_partition(p_days integer) RETURNS text LANGUAGE plpgsql
  SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  v_schema text := pg_catalog.quote_ident(pg_catalog.current_schema());
  v_name text;
BEGIN
  PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
  SELECT c.relname INTO v_name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
  WHERE i.inhparent = (v_schema || '.attempts')::regclass AND c.relname ~ '^attempts_[0-9]{8}$'
    AND to_date(right(c.relname, 8), 'YYYYMMDD') + greatest(p_days, 1) + 2 <= (now() AT TIME ZONE 'utc')::date
  ORDER BY c.relname LIMIT 1;
  IF v_name IS NOT NULL THEN
    EXECUTE format('DROP TABLE IF EXISTS %s.%I', v_schema, v_name);
  END IF;
  RETURN v_name;
END $$;
REVOKE EXECUTE ON FUNCTION drop_attempt_partition(integer) FROM PUBLIC;
