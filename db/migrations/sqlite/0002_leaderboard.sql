CREATE TABLE `leaderboard_entries` (
	`agent_id` text NOT NULL,
	`product` text NOT NULL,
	`suite_version` text NOT NULL,
	`pack_hash` text NOT NULL,
	`host` text,
	`score` real NOT NULL,
	`low` real NOT NULL,
	`high` real NOT NULL,
	`level_value` real,
	`level_se` real,
	`runs` integer NOT NULL,
	`last_run_at` integer NOT NULL,
	PRIMARY KEY(`agent_id`, `product`, `suite_version`, `pack_hash`),
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `leaderboard_entries_by_score` ON `leaderboard_entries` (`product`,`suite_version`,`pack_hash`,"score" desc,`agent_id`);--> statement-breakpoint
CREATE INDEX `leaderboard_entries_by_host` ON `leaderboard_entries` (`product`,`suite_version`,`pack_hash`,`host`,"score" desc,`agent_id`) WHERE "leaderboard_entries"."host" is not null;--> statement-breakpoint
CREATE INDEX `eval_jobs_ranked_by_agent` ON `eval_jobs` (`agent_id`,`finished_at`) WHERE "eval_jobs"."status" = 'completed' and "eval_jobs"."ranked" = true;