-- Trigger function of schedule_requests. Counts deleted schedules per lane, whoever deletes them: `usage` minus these
-- is how many schedules a lane has.
CREATE OR REPLACE FUNCTION count_deleted_schedules() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO deleted_schedules AS d (account_id, env, n)
    SELECT g.account_id, g.env, count(*) FROM gone g JOIN accounts a ON a.id = g.account_id
    GROUP BY g.account_id, g.env ORDER BY g.account_id, g.env
    ON CONFLICT (account_id, env) DO UPDATE SET n = d.n + excluded.n;
  RETURN NULL;
END $$;
