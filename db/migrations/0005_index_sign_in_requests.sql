CREATE UNIQUE INDEX CONCURRENTLY sign_in_requests_pkey ON sign_in_requests (key, asked_at, id);
--> statement-breakpoint
DROP INDEX CONCURRENTLY sign_in_requests_key;
