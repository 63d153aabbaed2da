CREATE TABLE `agents` (
	`id` text PRIMARY KEY NOT NULL,
	`handle` text NOT NULL,
	`agent_type` text NOT NULL,
	`public_key` text NOT NULL,
	`did` text NOT NULL,
	`bio` text NOT NULL,
	`site` text,
	`verified_badge` integer NOT NULL,
	`sponsor_tier` text NOT NULL,
	`reputation_total` integer NOT NULL,
	`created_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `agents_handle_unique` ON `agents` (`handle`);--> statement-breakpoint
CREATE UNIQUE INDEX `agents_public_key_unique` ON `agents` (`public_key`);--> statement-breakpoint
CREATE UNIQUE INDEX `agents_did_unique` ON `agents` (`did`);--> statement-breakpoint
CREATE INDEX `agents_by_reputation` ON `agents` ("reputation_total" desc,`handle`);--> statement-breakpoint
CREATE TABLE `bearer_tokens` (
	`id` text PRIMARY KEY NOT NULL,
	`agent_id` text NOT NULL,
	`token_hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	`revoked_at` integer,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `bearer_tokens_hash_unique` ON `bearer_tokens` (`token_hash`);--> statement-breakpoint
CREATE INDEX `bearer_tokens_by_agent` ON `bearer_tokens` (`agent_id`,`id`);--> statement-breakpoint
CREATE TABLE `challenges` (
	`id` text PRIMARY KEY NOT NULL,
	`handle` text NOT NULL,
	`purpose` text NOT NULL,
	`profile` text,
	`public_key` text NOT NULL,
	`challenge` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`used_at` integer
) STRICT;
--> statement-breakpoint
CREATE INDEX `challenges_by_handle` ON `challenges` (`handle`,`id`);--> statement-breakpoint
CREATE INDEX `challenges_by_expiry` ON `challenges` (`expires_at`);--> statement-breakpoint
CREATE UNIQUE INDEX `challenges_one_open_registration` ON `challenges` (`handle`) WHERE "challenges"."purpose" = 'register' and "challenges"."used_at" is null;--> statement-breakpoint
CREATE TABLE `eval_cases` (
	`job_id` text NOT NULL,
	`case_index` integer NOT NULL,
	`position` integer NOT NULL,
	`result` text NOT NULL,
	`finished_at` integer NOT NULL,
	PRIMARY KEY(`job_id`, `case_index`),
	FOREIGN KEY (`job_id`) REFERENCES `eval_jobs`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `eval_cases_position_unique` ON `eval_cases` (`job_id`,`position`);--> statement-breakpoint
CREATE TABLE `eval_jobs` (
	`id` text PRIMARY KEY NOT NULL,
	`redemption_id` text NOT NULL,
	`agent_id` text NOT NULL,
	`product` text NOT NULL,
	`target_url` text NOT NULL,
	`status` text NOT NULL,
	`charge_tokens` integer NOT NULL,
	`charge_free` integer NOT NULL,
	`charge_state` text NOT NULL,
	`attempt` integer NOT NULL,
	`lease_until` integer,
	`progress_done` integer NOT NULL,
	`progress_total` integer NOT NULL,
	`score` real,
	`suite_name` text NOT NULL,
	`suite_version` text NOT NULL,
	`suite_seed` text NOT NULL,
	`failure_code` text,
	`failure_message` text,
	`latency` text,
	`created_at` integer NOT NULL,
	`started_at` integer,
	`finished_at` integer,
	FOREIGN KEY (`redemption_id`) REFERENCES `redemptions`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `eval_jobs_redemption_unique` ON `eval_jobs` (`redemption_id`);--> statement-breakpoint
CREATE INDEX `eval_jobs_by_agent` ON `eval_jobs` (`agent_id`,`id`);--> statement-breakpoint
CREATE INDEX `eval_jobs_open_by_agent` ON `eval_jobs` (`agent_id`) WHERE "eval_jobs"."status" in ('queued', 'running');--> statement-breakpoint
CREATE INDEX `eval_jobs_refunded_by_agent` ON `eval_jobs` (`agent_id`,`finished_at`) WHERE "eval_jobs"."charge_state" = 'refunded';--> statement-breakpoint
CREATE INDEX `eval_jobs_running` ON `eval_jobs` (`started_at`) WHERE "eval_jobs"."status" = 'running';--> statement-breakpoint
CREATE TABLE `eval_scorecards` (
	`job_id` text PRIMARY KEY NOT NULL,
	`score_md` text NOT NULL,
	`score_html` text NOT NULL,
	`score_json` text NOT NULL,
	FOREIGN KEY (`job_id`) REFERENCES `eval_jobs`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `idempotency_keys` (
	`agent_id` text NOT NULL,
	`route` text NOT NULL,
	`key` text NOT NULL,
	`request_hash` text NOT NULL,
	`claim_id` text NOT NULL,
	`claimed_until` integer NOT NULL,
	`status` integer,
	`body` text,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`agent_id`, `route`, `key`),
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `idempotency_keys_by_age` ON `idempotency_keys` (`created_at`);--> statement-breakpoint
CREATE TABLE `jobs` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`payload` text NOT NULL,
	`created_at` integer NOT NULL,
	`run_at` integer NOT NULL,
	`published_at` integer,
	`closed_at` integer
) STRICT;
--> statement-breakpoint
CREATE INDEX `jobs_open` ON `jobs` (`published_at`,`id`) WHERE "jobs"."closed_at" is null;--> statement-breakpoint
CREATE INDEX `jobs_closed` ON `jobs` (`closed_at`) WHERE "jobs"."closed_at" is not null;--> statement-breakpoint
CREATE TABLE `redemptions` (
	`id` text PRIMARY KEY NOT NULL,
	`agent_id` text NOT NULL,
	`product` text NOT NULL,
	`target_url` text NOT NULL,
	`cost` integer NOT NULL,
	`free` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `redemptions_by_agent` ON `redemptions` (`agent_id`,`id`);--> statement-breakpoint
CREATE TABLE `token_accounts` (
	`agent_id` text PRIMARY KEY NOT NULL,
	`balance` integer NOT NULL,
	`last_sequence` integer NOT NULL,
	`free_eval_redemption_id` text,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "token_accounts_balance_not_negative" CHECK("token_accounts"."balance" >= 0)
) STRICT;
--> statement-breakpoint
CREATE TABLE `token_entries` (
	`id` text PRIMARY KEY NOT NULL,
	`agent_id` text NOT NULL,
	`sequence` integer NOT NULL,
	`kind` text NOT NULL,
	`amount` integer NOT NULL,
	`balance_after` integer NOT NULL,
	`reason` text NOT NULL,
	`reference` text,
	`expires_at` integer,
	`lots` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "token_entries_balance_not_negative" CHECK("token_entries"."balance_after" >= 0)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `token_entries_sequence_unique` ON `token_entries` (`agent_id`,`sequence`);--> statement-breakpoint
CREATE UNIQUE INDEX `token_entries_reference_unique` ON `token_entries` (`reference`,`kind`) WHERE "token_entries"."reference" is not null;--> statement-breakpoint
CREATE TABLE `token_lots` (
	`id` text PRIMARY KEY NOT NULL,
	`agent_id` text NOT NULL,
	`amount` integer NOT NULL,
	`remaining` integer NOT NULL,
	`expires_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "token_lots_remaining_in_range" CHECK("token_lots"."remaining" >= 0 and "token_lots"."remaining" <= "token_lots"."amount")
) STRICT;
--> statement-breakpoint
CREATE INDEX `token_lots_live` ON `token_lots` (`agent_id`,`expires_at`) WHERE "token_lots"."remaining" > 0;--> statement-breakpoint
CREATE INDEX `token_lots_due` ON `token_lots` (`expires_at`) WHERE "token_lots"."remaining" > 0 and "token_lots"."expires_at" is not null;