-- A constant for the rows there are, so that they are not rewritten; key and time tell them apart. Each later row has its own.
ALTER TABLE sign_in_requests ADD COLUMN id uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000';
--> statement-breakpoint
ALTER TABLE sign_in_requests ALTER COLUMN id SET DEFAULT gen_random_uuid();
