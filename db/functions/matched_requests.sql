-- Any p_max requests of a lane whose target matches an ILIKE pattern. A function because it needs planner settings: the
-- statistics say nothing about one account's targets, and only the plan that reads the search index is never slow.
CREATE OR REPLACE FUNCTION matched_requests(p_account uuid, p_env text, p_pattern text, p_max integer)
RETURNS TABLE (schedule_id uuid, created_at timestamptz(3)) LANGUAGE plpgsql STABLE ROWS 1000
SET enable_seqscan = off SET enable_bitmapscan = on SET max_parallel_workers_per_gather = 0 AS $$
BEGIN
  RETURN QUERY SELECT r.schedule_id, r.created_at FROM schedule_requests r
    WHERE uuid_send(r.account_id) = uuid_send(p_account) AND r.target_url ILIKE p_pattern AND r.env = p_env LIMIT p_max;
END $$;
