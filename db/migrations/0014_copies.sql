-- Copies of a schedule are found by their original. Only replays and clones enter the index: a create without an original
-- pays nothing. The table is read once to build it, during which its writes wait.
CREATE INDEX "schedule_requests_copies" ON "schedule_requests" USING btree ("account_id","env","replay_of","schedule_id") WHERE replay_of is not null;
