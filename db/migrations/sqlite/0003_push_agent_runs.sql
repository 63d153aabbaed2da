ALTER TABLE `agent_run_calls` ADD `said` text;--> statement-breakpoint
ALTER TABLE `agent_run_tasks` ADD `reminded_after` integer;--> statement-breakpoint
ALTER TABLE `agent_runs` ADD `target` text;--> statement-breakpoint
ALTER TABLE `agent_runs` ADD `target_headers` text;--> statement-breakpoint
ALTER TABLE `agent_runs` ADD `attempt` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `agent_runs` ADD `hand_backs` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `agent_runs` ADD `lease_until` integer;--> statement-breakpoint
ALTER TABLE `agent_runs` ADD `failure_cause` text;