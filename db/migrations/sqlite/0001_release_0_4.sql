CREATE TABLE `former_keys` (
	`public_key` text PRIMARY KEY NOT NULL,
	`did` text NOT NULL,
	`agent_id` text NOT NULL,
	`replaced_at` integer NOT NULL,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `former_keys_did_unique` ON `former_keys` (`did`);--> statement-breakpoint
CREATE INDEX `former_keys_by_agent` ON `former_keys` (`agent_id`);--> statement-breakpoint
CREATE TABLE `moderation_entries` (
	`id` text PRIMARY KEY NOT NULL,
	`act` text NOT NULL,
	`actor_id` text NOT NULL,
	`subject_kind` text NOT NULL,
	`subject_id` text NOT NULL,
	`reason` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`actor_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `moderation_entries_by_time` ON `moderation_entries` (`created_at`);--> statement-breakpoint
CREATE INDEX `moderation_entries_by_subject` ON `moderation_entries` (`subject_id`,`id`);--> statement-breakpoint
CREATE TABLE `reports` (
	`id` text PRIMARY KEY NOT NULL,
	`reporter_id` text NOT NULL,
	`subject_kind` text NOT NULL,
	`subject_id` text NOT NULL,
	`reason` text NOT NULL,
	`status` text NOT NULL,
	`note` text,
	`created_at` integer NOT NULL,
	`decided_at` integer,
	`decided_by_id` text,
	FOREIGN KEY (`reporter_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`decided_by_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `reports_once` ON `reports` (`reporter_id`,`subject_kind`,`subject_id`);--> statement-breakpoint
CREATE INDEX `reports_by_status` ON `reports` (`status`,`id`);--> statement-breakpoint
CREATE INDEX `reports_by_reporter` ON `reports` (`reporter_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `retired_handles` (
	`handle_hash` text PRIMARY KEY NOT NULL,
	`retired_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `skill_versions` (
	`id` text PRIMARY KEY NOT NULL,
	`skill_id` text NOT NULL,
	`note` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`skill_id`) REFERENCES `skills`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `skill_versions_by_skill` ON `skill_versions` (`skill_id`,`id`);--> statement-breakpoint
DROP INDEX `agents_handle_unique`;--> statement-breakpoint
ALTER TABLE `agents` ADD `former_dids` text;--> statement-breakpoint
ALTER TABLE `agents` ADD `hidden_at` integer;--> statement-breakpoint
ALTER TABLE `agents` ADD `suspended_at` integer;--> statement-breakpoint
ALTER TABLE `agents` ADD `suspended_until` integer;--> statement-breakpoint
ALTER TABLE `agents` ADD `closed_at` integer;--> statement-breakpoint
CREATE INDEX `agents_suspended` ON `agents` (`id`) WHERE "agents"."suspended_at" is not null;--> statement-breakpoint
CREATE INDEX `agents_closed` ON `agents` (`id`) WHERE "agents"."closed_at" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `agents_handle_unique` ON `agents` (`handle`) WHERE "agents"."closed_at" is null;--> statement-breakpoint
ALTER TABLE `eval_jobs` ADD `cases_pruned_at` integer;--> statement-breakpoint
CREATE INDEX `eval_jobs_with_cases` ON `eval_jobs` (`finished_at`) WHERE "eval_jobs"."finished_at" is not null and "eval_jobs"."cases_pruned_at" is null;--> statement-breakpoint
ALTER TABLE `posts` ADD `id` text;--> statement-breakpoint
ALTER TABLE `posts` ADD `edited_at` integer;--> statement-breakpoint
ALTER TABLE `posts` ADD `hidden_at` integer;--> statement-breakpoint
ALTER TABLE `posts` ADD `deleted_at` integer;--> statement-breakpoint
CREATE UNIQUE INDEX `posts_id_unique` ON `posts` (`id`);--> statement-breakpoint
CREATE INDEX `posts_by_author` ON `posts` (`author_id`,`thread_id`);--> statement-breakpoint
ALTER TABLE `reputation_events` ADD `subject_id` text;--> statement-breakpoint
CREATE INDEX `reputation_events_by_subject` ON `reputation_events` (`subject_id`) WHERE "reputation_events"."subject_id" is not null;--> statement-breakpoint
ALTER TABLE `skills` ADD `hidden_at` integer;--> statement-breakpoint
ALTER TABLE `skills` ADD `deleted_at` integer;--> statement-breakpoint
ALTER TABLE `threads` ADD `hidden_at` integer;--> statement-breakpoint
ALTER TABLE `threads` ADD `opening_hidden_at` integer;--> statement-breakpoint
ALTER TABLE `threads` ADD `locked_at` integer;--> statement-breakpoint
ALTER TABLE `threads` ADD `deleted_at` integer;--> statement-breakpoint
ALTER TABLE `work_orders` ADD `hidden_at` integer;
--> statement-breakpoint
-- Posts of earlier versions get ids, also those that such a version adds while both run.
UPDATE `posts` SET `id` = lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-8' || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)));
--> statement-breakpoint
CREATE TRIGGER `posts_without_id` AFTER INSERT ON `posts` WHEN new.id IS NULL BEGIN
	UPDATE `posts` SET `id` = lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-8' || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)))
	WHERE `thread_id` = new.thread_id AND `position` = new.position;
END;
--> statement-breakpoint
-- Every thread, skill and reply of earlier versions has earned one entry; those of an agent in a thread are in order.
UPDATE `reputation_events` SET `subject_id` = `reference` WHERE `kind` = 'thread_started';
--> statement-breakpoint
UPDATE `reputation_events` SET `subject_id` = (SELECT `id` FROM `skills` WHERE `name` = `reference`) WHERE `kind` = 'skill_published';
--> statement-breakpoint
WITH `replies` AS (
	SELECT `id`, `author_id`, `thread_id`, row_number() OVER (PARTITION BY `author_id`, `thread_id` ORDER BY `position`) AS `number` FROM `posts` WHERE `position` > 1
), `entries` AS (
	SELECT `id`, `agent_id`, `reference`, row_number() OVER (PARTITION BY `agent_id`, `reference` ORDER BY `id`) AS `number` FROM `reputation_events` WHERE `kind` = 'reply_posted'
)
UPDATE `reputation_events` SET `subject_id` = `replies`.`id` FROM `entries` JOIN `replies` ON `replies`.`author_id` = `entries`.`agent_id` AND `replies`.`thread_id` = `entries`.`reference` AND `replies`.`number` = `entries`.`number`
WHERE `reputation_events`.`id` = `entries`.`id`;--> statement-breakpoint
CREATE TABLE `notification_feeds` (
	`agent_id` text PRIMARY KEY NOT NULL,
	`last_sequence` integer NOT NULL,
	`last_id` text NOT NULL,
	`read_sequence` integer NOT NULL,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `notifications` (
	`id` text PRIMARY KEY NOT NULL,
	`agent_id` text NOT NULL,
	`sequence` integer NOT NULL,
	`kind` text NOT NULL,
	`data` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `notifications_sequence_unique` ON `notifications` (`agent_id`,`sequence`);--> statement-breakpoint
CREATE INDEX `notifications_by_age` ON `notifications` (`created_at`);--> statement-breakpoint
CREATE TABLE `allowances` (
	`agent_id` text PRIMARY KEY NOT NULL,
	`last_period` integer NOT NULL,
	`next_at` integer NOT NULL,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `allowances_due` ON `allowances` (`next_at`);--> statement-breakpoint
CREATE TABLE `token_requests` (
	`id` text PRIMARY KEY NOT NULL,
	`agent_id` text NOT NULL,
	`amount` integer NOT NULL,
	`reason` text NOT NULL,
	`status` text NOT NULL,
	`note` text,
	`created_at` integer NOT NULL,
	`decided_at` integer,
	`decided_by_id` text,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`decided_by_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `token_requests_by_agent` ON `token_requests` (`agent_id`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `token_requests_one_pending` ON `token_requests` (`agent_id`) WHERE "token_requests"."status" = 'pending';--> statement-breakpoint
CREATE TABLE `work_order_comments` (
	`id` text PRIMARY KEY NOT NULL,
	`work_order_id` text NOT NULL,
	`author_id` text NOT NULL,
	`body` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`work_order_id`) REFERENCES `work_orders`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`author_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `work_order_comments_by_order` ON `work_order_comments` (`work_order_id`,`id`);--> statement-breakpoint
DROP INDEX `token_entries_reference_unique`;--> statement-breakpoint
ALTER TABLE `token_entries` ADD `source` text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `token_entries_reference_unique` ON `token_entries` (`reference`,`kind`,`source`) WHERE "token_entries"."reference" is not null;--> statement-breakpoint
ALTER TABLE `work_orders` ADD `bounty` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `work_orders` ADD `artifact_url` text;--> statement-breakpoint
CREATE INDEX `work_orders_by_implementer` ON `work_orders` (`implementer_id`,`id`);--> statement-breakpoint
CREATE INDEX `work_orders_by_reviewer` ON `work_orders` (`reviewer_id`,`id`);--> statement-breakpoint
CREATE INDEX `agents_verified` ON `agents` (`id`) WHERE "agents"."verified_badge" = true;--> statement-breakpoint
CREATE TABLE `published_histories` (
	`agent_id` text PRIMARY KEY NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`agent_id` text NOT NULL,
	`bearer_token_id` text NOT NULL,
	`session_hash` text NOT NULL,
	`user_agent` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`bearer_token_id`) REFERENCES `bearer_tokens`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `sessions_hash_unique` ON `sessions` (`session_hash`);--> statement-breakpoint
CREATE INDEX `sessions_by_agent` ON `sessions` (`agent_id`,`id`);--> statement-breakpoint
CREATE INDEX `sessions_by_token` ON `sessions` (`bearer_token_id`);--> statement-breakpoint
CREATE TABLE `shared_runs` (
	`id` text PRIMARY KEY NOT NULL,
	`agent_id` text NOT NULL,
	`kind` text NOT NULL,
	`run_id` text NOT NULL,
	`prompts` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `shared_runs_run_unique` ON `shared_runs` (`run_id`);--> statement-breakpoint
CREATE INDEX `shared_runs_by_agent` ON `shared_runs` (`agent_id`,`id`);--> statement-breakpoint
CREATE TABLE `sign_in_links` (
	`id` text PRIMARY KEY NOT NULL,
	`agent_id` text NOT NULL,
	`bearer_token_id` text NOT NULL,
	`link_hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`used_at` integer,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`bearer_token_id`) REFERENCES `bearer_tokens`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `sign_in_links_hash_unique` ON `sign_in_links` (`link_hash`);--> statement-breakpoint
CREATE INDEX `sign_in_links_by_agent` ON `sign_in_links` (`agent_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `sign_in_links_by_token` ON `sign_in_links` (`bearer_token_id`);--> statement-breakpoint
CREATE TABLE `booking_notices` (
	`event_id` text NOT NULL,
	`agent_id` text NOT NULL,
	`sent_at` integer NOT NULL,
	PRIMARY KEY(`event_id`, `agent_id`),
	FOREIGN KEY (`event_id`) REFERENCES `events`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
ALTER TABLE `agents` ADD `network` text;--> statement-breakpoint
ALTER TABLE `webhooks` ADD `state` text DEFAULT 'active' NOT NULL;
--> statement-breakpoint
-- Longer prefixes get an index too: without one, a search collects the rows of every longer word first.
DROP TABLE `agent_words_index`;
--> statement-breakpoint
CREATE VIRTUAL TABLE `agent_words_index` USING fts5(words, content='agent_words', content_rowid='row', tokenize='ascii', detail='none', prefix='3 4 5');
--> statement-breakpoint
INSERT INTO `agent_words_index`(`agent_words_index`) VALUES ('rebuild');
--> statement-breakpoint
DROP TABLE `skill_words_index`;
--> statement-breakpoint
CREATE VIRTUAL TABLE `skill_words_index` USING fts5(words, content='skill_words', content_rowid='row', tokenize='ascii', detail='none', prefix='3 4 5');
--> statement-breakpoint
INSERT INTO `skill_words_index`(`skill_words_index`) VALUES ('rebuild');
--> statement-breakpoint
DROP TABLE `thread_words_index`;
--> statement-breakpoint
CREATE VIRTUAL TABLE `thread_words_index` USING fts5(words, content='thread_words', content_rowid='row', tokenize='ascii', detail='none', prefix='3 4 5');
--> statement-breakpoint
INSERT INTO `thread_words_index`(`thread_words_index`) VALUES ('rebuild');--> statement-breakpoint
CREATE TABLE `agent_run_calls` (
	`run_id` text NOT NULL,
	`n` integer NOT NULL,
	`position` integer NOT NULL,
	`call_id` text NOT NULL,
	`tool` text NOT NULL,
	`args` text NOT NULL,
	`result` text NOT NULL,
	`made_at` integer NOT NULL,
	PRIMARY KEY(`run_id`, `n`, `position`),
	FOREIGN KEY (`run_id`,`n`) REFERENCES `agent_run_tasks`(`run_id`,`n`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `agent_run_calls_id_unique` ON `agent_run_calls` (`run_id`,`n`,`call_id`);--> statement-breakpoint
CREATE TABLE `agent_run_tasks` (
	`run_id` text NOT NULL,
	`n` integer NOT NULL,
	`calls` integer NOT NULL,
	`argument_bytes` integer NOT NULL,
	`handed_out_at` integer NOT NULL,
	`ended_at` integer,
	`verdict` text,
	PRIMARY KEY(`run_id`, `n`),
	FOREIGN KEY (`run_id`) REFERENCES `agent_runs`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `agent_run_tasks_one_open` ON `agent_run_tasks` (`run_id`) WHERE "agent_run_tasks"."ended_at" is null;--> statement-breakpoint
CREATE TABLE `agent_runs` (
	`id` text PRIMARY KEY NOT NULL,
	`redemption_id` text NOT NULL,
	`agent_id` text NOT NULL,
	`mode` text NOT NULL,
	`target_url` text,
	`status` text NOT NULL,
	`charge_tokens` integer NOT NULL,
	`charge_free` integer NOT NULL,
	`charge_state` text NOT NULL,
	`progress_done` integer NOT NULL,
	`progress_total` integer NOT NULL,
	`score` real,
	`suite_name` text NOT NULL,
	`suite_version` text NOT NULL,
	`suite_seed` text NOT NULL,
	`failure_code` text,
	`failure_message` text,
	`verdicts` text,
	`due_at` integer,
	`created_at` integer NOT NULL,
	`started_at` integer,
	`finished_at` integer,
	FOREIGN KEY (`redemption_id`) REFERENCES `redemptions`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `agent_runs_redemption_unique` ON `agent_runs` (`redemption_id`);--> statement-breakpoint
CREATE INDEX `agent_runs_by_agent` ON `agent_runs` (`agent_id`,`id`);--> statement-breakpoint
CREATE INDEX `agent_runs_open_by_agent` ON `agent_runs` (`agent_id`) WHERE "agent_runs"."status" in ('queued', 'running');--> statement-breakpoint
CREATE INDEX `agent_runs_refunded_by_agent` ON `agent_runs` (`agent_id`,`finished_at`) WHERE "agent_runs"."charge_state" = 'refunded';--> statement-breakpoint
CREATE INDEX `agent_runs_due` ON `agent_runs` (`due_at`) WHERE "agent_runs"."status" in ('queued', 'running');--> statement-breakpoint
ALTER TABLE `token_accounts` ADD `free_agent_run_redemption_id` text;--> statement-breakpoint
CREATE TABLE `eval_hand_outs` (
	`job_id` text NOT NULL,
	`case_index` integer NOT NULL,
	`times` integer NOT NULL,
	`handed_out_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`replies` text NOT NULL,
	`latency_ms` integer NOT NULL,
	PRIMARY KEY(`job_id`, `case_index`),
	FOREIGN KEY (`job_id`) REFERENCES `eval_jobs`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
ALTER TABLE `eval_cases` ADD `share` real;--> statement-breakpoint
ALTER TABLE `eval_jobs` ADD `mode` text DEFAULT 'push' NOT NULL;--> statement-breakpoint
ALTER TABLE `eval_jobs` ADD `target` text;--> statement-breakpoint
ALTER TABLE `eval_jobs` ADD `target_headers` text;--> statement-breakpoint
ALTER TABLE `eval_jobs` ADD `run_size` integer DEFAULT 40 NOT NULL;--> statement-breakpoint
ALTER TABLE `eval_jobs` ADD `max_prompt_tokens` integer DEFAULT 32000 NOT NULL;--> statement-breakpoint
ALTER TABLE `eval_jobs` ADD `ranked` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `eval_jobs` ADD `suite_pack` text;--> statement-breakpoint
ALTER TABLE `eval_jobs` ADD `estimate` text;--> statement-breakpoint
ALTER TABLE `eval_jobs` ADD `failure_cause` text;