ALTER TABLE attempts ADD COLUMN via text;
