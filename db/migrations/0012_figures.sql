-- Public punctuality is counted by quarters of an hour: "hour" is the instant at which a row's counts begin. A dispatcher
-- of before this migration counts whole hours in the same rows, and leaves "n_by_quarter" as it is: so the sums are right
-- whoever counts, and the quarters hold only what is known to belong to them. A constant default rewrites no row.
ALTER TABLE "shard_punctuality" ADD COLUMN "n_by_quarter" bigint DEFAULT 0 NOT NULL;
