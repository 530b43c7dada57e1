-- The shard of an account that may create schedules; otherwise refusal says why it may not:
--   inactive  there is no such active account
--   stale     p_plan is not its plan, or p_key (null: none) was revoked or has expired. Both are what the caller has cached
--
-- FOR SHARE waits for a transaction that deactivates or deletes the account, so that no schedule is created after it.
CREATE OR REPLACE FUNCTION find_creating_account(p_account uuid, p_key uuid, p_plan text, OUT refusal text, OUT shard smallint)
LANGUAGE plpgsql AS $$
DECLARE
  v_plan text;
BEGIN
  SELECT a.shard, a.plan INTO shard, v_plan FROM accounts a WHERE a.id = p_account AND a.status = 'active' FOR SHARE;
  IF NOT FOUND THEN
    refusal := 'inactive';
  ELSIF p_plan <> v_plan
    OR p_key IS NOT NULL AND NOT EXISTS (
      SELECT FROM api_keys k WHERE k.id = p_key AND (k.revoked_at IS NULL OR k.revoked_at > clock_timestamp())) THEN
    refusal := 'stale';
  END IF;
END $$;
