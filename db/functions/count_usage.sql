-- Stores that a lane has created p_used schedules in the month p_period, and returns p_used. p_part is the part of its row until
-- now, null when there is none; the caller has called lock_usage.
--
-- The row gets another key after each 128 schedules. While a held snapshot keeps all its versions, whoever reads the highest
-- part passes no more than these.
CREATE OR REPLACE FUNCTION count_usage(p_account uuid, p_env text, p_period text, p_part integer, p_used integer)
RETURNS integer LANGUAGE plpgsql AS $$
BEGIN
  IF p_part = p_used / 128 THEN
    UPDATE usage u SET scheduled = p_used
      WHERE u.account_id = p_account AND u.env = p_env AND u.period = p_period AND u.part = p_part;
  ELSE
    DELETE FROM usage u WHERE u.account_id = p_account AND u.env = p_env AND u.period = p_period AND u.part = p_part;
    INSERT INTO usage (account_id, env, period, part, scheduled) VALUES (p_account, p_env, p_period, p_used / 128, p_used);
  END IF;
  RETURN p_used;
END $$;
