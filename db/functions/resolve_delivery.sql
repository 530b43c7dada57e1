-- The delivery options (domain/delivery-options.ts) of a schedule that is first due at p_fire_at: an expiry that was given as a
-- duration is an instant too, at the latest the last one that can be written. Null without options.
CREATE OR REPLACE FUNCTION resolve_delivery(p_delivery jsonb, p_fire_at timestamptz) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN p_delivery ? 'expiresInMs'
    THEN p_delivery || jsonb_build_object('expiresAtMs', least(
      (extract(epoch FROM p_fire_at) * 1000)::bigint + (p_delivery->>'expiresInMs')::bigint, 253402300799999))
    ELSE p_delivery END
$$;
