-- Drops the oldest daily partition of `attempts` when all its attempts are more than p_days + 1 days old (one day at least).
-- Returns its name; NULL when there is none.
--
-- It works with the privileges of its owner, so that the role of the service need not be able to drop tables. So names are
-- looked up in pg_catalog alone.
CREATE OR REPLACE FUNCTION drop_attempt_partition(p_days integer) RETURNS text LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_name text;
BEGIN
  SELECT c.relname INTO v_name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
  WHERE i.inhparent = 'public.attempts'::regclass AND c.relname ~ '^attempts_[0-9]{8}$'
    AND to_date(right(c.relname, 8), 'YYYYMMDD') + greatest(p_days, 1) + 2 <= (now() AT TIME ZONE 'utc')::date
  ORDER BY c.relname LIMIT 1;
  IF v_name IS NOT NULL THEN
    EXECUTE format('DROP TABLE IF EXISTS public.%I', v_name);
  END IF;
  RETURN v_name;
END $$;
