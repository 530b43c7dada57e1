-- Trigger function of schedules: lowers the lane of a schedule whose next attempt is due earlier than before, or again.
CREATE OR REPLACE FUNCTION lower_lane_of_schedule() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM lower_lane(NEW.account_id, NEW.env, NEW.shard, NEW.next_attempt_at);
  RETURN NULL;
END $$;
