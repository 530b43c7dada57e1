-- Whether a listener of this scope, with these prefixes of paths (none: every path), takes an exchange.
CREATE OR REPLACE FUNCTION listener_takes(p_scope text, p_prefixes text[], p_is_reserved boolean, p_path text)
RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT (p_is_reserved OR p_scope = 'all')
    AND (p_prefixes = '{}' OR EXISTS (SELECT FROM unnest(p_prefixes) prefix WHERE starts_with(p_path, prefix)))
$$;
