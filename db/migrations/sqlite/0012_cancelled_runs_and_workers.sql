ALTER TABLE `agent_runs` ADD `cancelled` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `eval_hand_outs` ADD `worker` text DEFAULT 'main' NOT NULL;--> statement-breakpoint
ALTER TABLE `eval_jobs` ADD `cancelled` integer DEFAULT false NOT NULL;