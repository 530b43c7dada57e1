CREATE INDEX CONCURRENTLY dispatchers_ended ON dispatchers (ended_at) WHERE ended_at IS NOT NULL;
