/**
 * SQL that ends once `count` sessions of its database wait for a lock, after `first` was run. It is one statement, so that
 * the server lets go of what `first` locks without a round trip: no stall of this process is in between.
 */
export const untilWaiting = (count: number, first = "") => `
  DO $$ BEGIN
    ${first}
    WHILE (SELECT count(*) FROM pg_stat_activity
           WHERE datname = current_database() AND wait_event_type = 'Lock') < ${count} LOOP
      PERFORM pg_sleep(0.005), pg_stat_clear_snapshot();
    END LOOP;
  END $$`;
