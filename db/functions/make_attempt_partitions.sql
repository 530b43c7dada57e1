-- Makes the missing daily partitions of `attempts` for the days [p_from, p_from + p_days), UTC. Returns how many it
-- made. At most 100 days at once.
--
-- It works with the privileges of its owner, so that the role of the service need not be able to create tables. It keeps the
-- search_path that it was made with, to know its schema, and then looks names up in pg_catalog alone: nobody can put a
-- function of their own in the way.
--
-- Attempts of such a day may have gone to the default partition before. They move to the new partition first, because
-- Postgres refuses a partition for rows that the default partition holds. ATTACH PARTITION does not wait for readers or
-- writers of the other partitions.
CREATE OR REPLACE FUNCTION make_attempt_partitions(p_from date, p_days integer) RETURNS integer LANGUAGE plpgsql
  SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  v_schema text := pg_catalog.quote_ident(pg_catalog.current_schema());
  v_day date;
  v_name text;
  v_from timestamptz;
  v_to timestamptz;
  v_made integer := 0;
BEGIN
  PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
  IF p_days > 100 THEN
    RAISE EXCEPTION 'at most 100 partitions are made at once, not %', p_days USING ERRCODE = 'invalid_parameter_value';
  END IF;
  FOR v_day IN SELECT p_from + d FROM generate_series(0, p_days - 1) d LOOP
    v_name := 'attempts_' || to_char(v_day, 'YYYYMMDD');
    CONTINUE WHEN to_regclass(v_schema || '.' || v_name) IS NOT NULL;
    v_from := v_day::timestamp AT TIME ZONE 'utc';
    v_to := (v_day + 1)::timestamp AT TIME ZONE 'utc';
    EXECUTE format(
      'CREATE TABLE %1$s.%2$I (LIKE %1$s.attempts INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', v_schema, v_name);
    EXECUTE format('LOCK TABLE %s.attempts_default IN ACCESS EXCLUSIVE MODE', v_schema);
    EXECUTE format(
      'WITH moved AS (DELETE FROM %1$s.attempts_default WHERE attempted_at >= $1 AND attempted_at < $2 RETURNING *)
       INSERT INTO %1$s.%2$I SELECT * FROM moved', v_schema, v_name) USING v_from, v_to;
    EXECUTE format(
      'ALTER TABLE %1$s.attempts ATTACH PARTITION %1$s.%2$I FOR VALUES FROM (%3$L) TO (%4$L)', v_schema, v_name, v_from, v_to);
    v_made := v_made + 1;
  END LOOP;
  RETURN v_made;
END $$;
REVOKE EXECUTE ON FUNCTION make_attempt_partitions(date, integer) FROM PUBLIC;
