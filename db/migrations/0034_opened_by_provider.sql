ALTER TABLE accounts ADD COLUMN opened_by_provider boolean NOT NULL DEFAULT false;
