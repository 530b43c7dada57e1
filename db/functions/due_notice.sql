-- The payload of the NOTIFY that announces schedules of one lane that are due soon: shard and id of the earliest one,
-- account, environment, its instant in epoch ms, and how many they are.
CREATE OR REPLACE FUNCTION due_notice(p_shard smallint, p_id uuid, p_account uuid, p_env text, p_at timestamptz, p_n integer)
RETURNS text LANGUAGE sql STABLE AS $$
  SELECT concat_ws(':', p_shard, p_id, p_account, p_env, (extract(epoch FROM p_at) * 1000)::bigint, p_n)
$$;
