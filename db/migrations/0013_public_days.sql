CREATE TABLE "public_days" (
	"day" timestamp (3) with time zone NOT NULL,
	"bucket" smallint NOT NULL,
	"n" bigint NOT NULL,
	"on_time" bigint NOT NULL,
	CONSTRAINT "public_days_day_bucket_pk" PRIMARY KEY("day","bucket")
);
