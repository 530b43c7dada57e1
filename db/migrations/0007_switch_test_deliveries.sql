ALTER TABLE relay_settings ADD COLUMN test_deliveries_until timestamptz(3);
