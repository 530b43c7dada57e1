-- The instant after which no attempt of a schedule begins; null where its delivery options have none.
CREATE OR REPLACE FUNCTION expires_at(p_delivery jsonb) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
  SELECT to_timestamp((p_delivery->>'expiresAtMs')::float8 / 1000)
$$;
