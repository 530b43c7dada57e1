-- Sets the entry of a lane in the calendar to p_due, unless it is that early already.
--
-- ON CONFLICT locks the row in either case, so this comes wholly before or wholly after raise_lanes. A plain UPDATE
-- would decide by a snapshot that is older than its lock.
CREATE OR REPLACE FUNCTION lower_lane(p_account uuid, p_env text, p_shard smallint, p_due timestamptz) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO lanes AS l (account_id, env, shard, due_at) VALUES (p_account, p_env, p_shard, p_due)
    ON CONFLICT (account_id, env) DO UPDATE SET due_at = excluded.due_at
    WHERE l.due_at IS NULL OR l.due_at > excluded.due_at;
END $$;
