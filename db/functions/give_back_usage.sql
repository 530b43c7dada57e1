-- Gives the schedules p_ids of a lane, which the service has taken back, back to the quota of the month in which each was
-- created. The caller has called lock_usage, before it locked a schedule. Their rows stay: how many schedules a lane has is what was
-- counted less those that were deleted, so these count as as many deleted ones less.
CREATE OR REPLACE FUNCTION give_back_usage(p_account uuid, p_env text, p_ids uuid[]) RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  v_month record;
  v_used integer;
  v_part integer;
BEGIN
  FOR v_month IN
    SELECT to_char(s.created_at AT TIME ZONE 'utc', 'YYYYMM') AS period, count(*)::integer AS n
    FROM schedules s WHERE s.id = ANY (p_ids) GROUP BY 1
  LOOP
    SELECT u.used, u.part INTO v_used, v_part FROM lock_usage(p_account, p_env, v_month.period) u;
    IF v_part IS NOT NULL THEN
      PERFORM count_usage(p_account, p_env, v_month.period, v_part, greatest(v_used - v_month.n, 0));
      INSERT INTO deleted_schedules AS d (account_id, env, n) VALUES (p_account, p_env, -least(v_used, v_month.n))
        ON CONFLICT (account_id, env) DO UPDATE SET n = d.n + excluded.n;
    END IF;
  END LOOP;
END $$;
