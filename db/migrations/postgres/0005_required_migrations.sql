CREATE TABLE "required_migrations" (
	"time" bigint PRIMARY KEY NOT NULL
);
