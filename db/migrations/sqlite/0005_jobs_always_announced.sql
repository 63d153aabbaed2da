PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE `__new_jobs` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`payload` text NOT NULL,
	`created_at` integer NOT NULL,
	`run_at` integer NOT NULL,
	`published_at` integer NOT NULL,
	`closed_at` integer
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_jobs`("id", "kind", "payload", "created_at", "run_at", "published_at", "closed_at") SELECT "id", "kind", "payload", "created_at", "run_at", coalesce("published_at", "created_at"), "closed_at" FROM `jobs`;--> statement-breakpoint
DROP TABLE `jobs`;--> statement-breakpoint
ALTER TABLE `__new_jobs` RENAME TO `jobs`;--> statement-breakpoint
PRAGMA foreign_keys=ON;--> statement-breakpoint
CREATE INDEX `jobs_open` ON `jobs` (`published_at`,`id`) WHERE "jobs"."closed_at" is null;--> statement-breakpoint
CREATE INDEX `jobs_closed` ON `jobs` (`closed_at`) WHERE "jobs"."closed_at" is not null;