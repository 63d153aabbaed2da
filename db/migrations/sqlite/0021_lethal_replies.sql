ALTER TABLE `agent_runs` ADD `reply_attempt` integer;--> statement-breakpoint
ALTER TABLE `agent_runs` ADD `lethal_replies` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `eval_jobs` ADD `reply_attempt` integer;--> statement-breakpoint
ALTER TABLE `eval_jobs` ADD `lethal_replies` integer DEFAULT 0 NOT NULL;