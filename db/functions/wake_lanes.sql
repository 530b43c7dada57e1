-- Trigger function of accounts: enters the lanes of an account that became active again. Schedules that are firing
-- count too, because releasing them lowers nothing. Announces what is due: dispatchers sweep entries that are long due rarely.
CREATE OR REPLACE FUNCTION wake_lanes() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
  -- More than one schedule is announced, so that the lane is read, whose id stands for theirs.
  PERFORM lower_lane(NEW.id, e.env, NEW.shard, first.at),
      CASE WHEN first.at <= now() + interval '6 seconds' THEN
        pg_notify(due_channel(), due_notice(NEW.shard, NEW.id, NEW.id, e.env, first.at, 2)) END
    FROM (VALUES ('live'), ('test')) e(env)
    CROSS JOIN LATERAL (
      SELECT least(
        (SELECT s.next_attempt_at FROM schedules s
          WHERE s.account_id = NEW.id AND s.env = e.env AND s.status IN ('scheduled', 'failed')
          ORDER BY s.next_attempt_at, s.id LIMIT 1),
        (SELECT min(s.next_attempt_at) FROM schedules s
          WHERE s.shard = NEW.shard AND s.status = 'firing' AND s.account_id = NEW.id AND s.env = e.env)) AS at) first
    WHERE first.at IS NOT NULL;
  RETURN NULL;
END $$;
