-- Makes the missing daily partitions of `attempts` for the days [p_from, p_from + p_days), UTC. Returns how many it
-- made.
--
-- Attempts of such a day may have gone to the default partition before. They move to the new partition first, because
-- Postgres refuses a partition for rows that the default partition holds. ATTACH PARTITION does not wait for readers or
-- writers of the other partitions.
CREATE OR REPLACE FUNCTION make_attempt_partitions(p_from date, p_days integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  v_day date;
  v_name text;
  v_from timestamptz;
  v_to timestamptz;
  v_made integer := 0;
BEGIN
  FOR v_day IN SELECT p_from + d FROM generate_series(0, p_days - 1) d LOOP
    v_name := 'attempts_' || to_char(v_day, 'YYYYMMDD');
    CONTINUE WHEN to_regclass(v_name) IS NOT NULL;
    v_from := v_day::timestamp AT TIME ZONE 'utc';
    v_to := (v_day + 1)::timestamp AT TIME ZONE 'utc';
    EXECUTE format('CREATE TABLE %I (LIKE attempts INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', v_name);
    LOCK TABLE attempts_default IN ACCESS EXCLUSIVE MODE;
    EXECUTE format(
      'WITH moved AS (DELETE FROM attempts_default WHERE attempted_at >= $1 AND attempted_at < $2 RETURNING *)
       INSERT INTO %I SELECT * FROM moved', v_name) USING v_from, v_to;
    EXECUTE format('ALTER TABLE attempts ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', v_name, v_from, v_to);
    v_made := v_made + 1;
  END LOOP;
  RETURN v_made;
END $$;
