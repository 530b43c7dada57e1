-- Trigger function of schedules: enters a live schedule that died, for the notice to its owner. A trigger, so that it
-- happens in the transaction that records the death, whichever version of the dispatcher runs it.
CREATE OR REPLACE FUNCTION enter_dead_schedule() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO dead_schedules (schedule_id, account_id, died_at) VALUES (NEW.id, NEW.account_id, clock_timestamp())
    ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
