-- Retention reads the oldest attempts of the default partition, which holds what no daily partition takes.
CREATE INDEX CONCURRENTLY attempts_default_at ON attempts_default (attempted_at);
