-- Trigger function of schedules: enters a live schedule that died, for the notice to its owner, in the transaction that
-- records the death.
CREATE OR REPLACE FUNCTION enter_dead_schedule() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO dead_schedules (schedule_id, account_id, died_at) VALUES (NEW.id, NEW.account_id, clock_timestamp())
    ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
