CREATE TABLE `required_migrations` (
	`time` integer PRIMARY KEY NOT NULL
) STRICT;
