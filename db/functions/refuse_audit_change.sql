-- Trigger function of audit_log: rows are only ever added.
CREATE OR REPLACE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the audit log is never changed' USING ERRCODE = 'insufficient_privilege';
END $$;
