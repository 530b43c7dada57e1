-- The functions that name the former key have ended: the migration before waited for all transactions older than itself.
ALTER TABLE usage DROP CONSTRAINT usage_account_id_env_period_pk,
  ADD CONSTRAINT usage_account_id_env_period_part_pk PRIMARY KEY USING INDEX usage_account_id_env_period_part_pk;
