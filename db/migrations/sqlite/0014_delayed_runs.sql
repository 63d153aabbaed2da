ALTER TABLE `agent_run_tasks` ADD `delayed_ms` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `eval_jobs` ADD `delayed_ms` integer DEFAULT 0 NOT NULL;