-- Trigger function of accounts: enters the lanes of an account that became active again, and announces them. Schedules
-- that are firing count too, because releasing them lowers nothing.
--
-- A dispatcher that has read such a lane meanwhile has dropped what it read. It would compare the lane with the table only
-- seconds later, and until then send what it had not looked at yet ahead of what is due before. The notification says 2,
-- which has the whole lane read from that instant on.
CREATE OR REPLACE FUNCTION wake_lanes() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
  PERFORM lower_lane(NEW.id, e.env, NEW.shard, least(open.at, firing.at)),
      CASE WHEN open.id IS NOT NULL
        THEN pg_notify('stopwatch_due', due_notice(NEW.shard, open.id, NEW.id, e.env, open.at, 2)) END
    FROM (VALUES ('live'), ('test')) e(env)
    LEFT JOIN LATERAL (
      SELECT s.id, s.next_attempt_at AS at FROM schedules s
        WHERE s.account_id = NEW.id AND s.env = e.env AND s.status IN ('scheduled', 'failed')
        ORDER BY s.next_attempt_at, s.id LIMIT 1) open ON true
    CROSS JOIN LATERAL (
      SELECT min(s.next_attempt_at) AS at FROM schedules s
        WHERE s.shard = NEW.shard AND s.status = 'firing' AND s.account_id = NEW.id AND s.env = e.env) firing
    WHERE least(open.at, firing.at) IS NOT NULL;
  RETURN NULL;
END $$;
