ALTER TABLE sign_in_requests ADD CONSTRAINT sign_in_requests_pkey PRIMARY KEY USING INDEX sign_in_requests_pkey;
