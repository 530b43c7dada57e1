ALTER TABLE "schedule_requests" ADD COLUMN "erased_at" timestamp (3) with time zone;
--> statement-breakpoint
-- Retention's only index: terminal schedules of an account, those whose request is still stored apart from those whose
-- request is erased. A delivery pays for it once, when its schedule ends: claims and retries never touch it. (A BRIN on
-- ended_at would cost less and find less: rows end in another order than they lie, and after the vacuum of some erased
-- rows each range of pages holds old and new ones. A walk in id order would meet every schedule that is still open.)
CREATE INDEX "schedules_ended" ON "schedules" USING btree ("account_id",("sealed_bytes" > 0),"ended_at") WHERE ended_at is not null;
--> statement-breakpoint
-- As before, and attempts of such a day that the default partition took meanwhile move to their own: with them in it,
-- the day could not be made. ATTACH waits for no reader or writer of the other days.
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
