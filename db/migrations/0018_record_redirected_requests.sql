ALTER TABLE security_events
  DROP CONSTRAINT security_events_kind_known,
  ADD CONSTRAINT security_events_kind_known CHECK (kind IN (
    'signed_in', 'credential_refused', 'api_key_created', 'api_key_rotated', 'api_key_revoked', 'signing_secrets_rotated',
    'test_deliveries_opened', 'test_deliveries_closed', 'request_redirected', 'identity_linked', 'identity_removed',
    'session_ended', 'account_deactivated', 'account_reactivated', 'account_deleted')) NOT VALID;
