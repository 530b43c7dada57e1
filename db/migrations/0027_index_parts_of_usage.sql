CREATE UNIQUE INDEX CONCURRENTLY usage_account_id_env_period_part_pk ON usage (account_id, env, period, part);
