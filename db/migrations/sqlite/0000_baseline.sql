CREATE TABLE `agent_words` (
	`row` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`subject_id` text NOT NULL,
	`words` text NOT NULL,
	FOREIGN KEY (`subject_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `agent_words_subject_unique` ON `agent_words` (`subject_id`);--> statement-breakpoint
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
	`publish_score` integer DEFAULT false NOT NULL,
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
CREATE TABLE `contact_log` (
	`mail_id` text PRIMARY KEY NOT NULL,
	`network_hash` text NOT NULL,
	`created_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `contact_log_by_network` ON `contact_log` (`network_hash`,`created_at`);--> statement-breakpoint
CREATE INDEX `contact_log_by_age` ON `contact_log` (`created_at`);--> statement-breakpoint
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
	`hand_backs` integer DEFAULT 0 NOT NULL,
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
CREATE INDEX `eval_jobs_completed_by_agent` ON `eval_jobs` (`agent_id`,`finished_at`) WHERE "eval_jobs"."status" = 'completed';--> statement-breakpoint
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
CREATE TABLE `events` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`title` text NOT NULL,
	`description` text NOT NULL,
	`presenter` text NOT NULL,
	`host_agent_id` text NOT NULL,
	`host_handle` text NOT NULL,
	`starts_at` integer NOT NULL,
	`ends_at` integer NOT NULL,
	`seats_total` integer NOT NULL,
	`seats_taken` integer NOT NULL,
	`waitlist_count` integer NOT NULL,
	`token_price` integer NOT NULL,
	`status` text NOT NULL,
	`calendar_sequence` integer NOT NULL,
	`epoch` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`host_agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "events_seats_in_range" CHECK("events"."seats_taken" >= 0 and "events"."seats_taken" <= "events"."seats_total"),
	CONSTRAINT "events_price_not_negative" CHECK("events"."token_price" >= 0),
	CONSTRAINT "events_end_after_start" CHECK("events"."ends_at" > "events"."starts_at")
) STRICT;
--> statement-breakpoint
CREATE INDEX `events_by_start` ON `events` (`starts_at`,`id`);--> statement-breakpoint
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
CREATE TABLE `inbox_emails` (
	`id` text PRIMARY KEY NOT NULL,
	`identity` text NOT NULL,
	`message_id` text,
	`sender` text NOT NULL,
	`recipients` text NOT NULL,
	`subject` text NOT NULL,
	`text` text NOT NULL,
	`attachments` text NOT NULL,
	`status` text NOT NULL,
	`received_at` integer NOT NULL,
	`updated_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `inbox_emails_identity_unique` ON `inbox_emails` (`identity`);--> statement-breakpoint
CREATE INDEX `inbox_emails_by_status` ON `inbox_emails` (`status`,`id`);--> statement-breakpoint
CREATE TABLE `jobs` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`payload` text NOT NULL,
	`created_at` integer NOT NULL,
	`run_at` integer NOT NULL,
	`published_at` integer NOT NULL,
	`closed_at` integer
) STRICT;
--> statement-breakpoint
CREATE INDEX `jobs_open` ON `jobs` (`published_at`,`id`) WHERE "jobs"."closed_at" is null;--> statement-breakpoint
CREATE INDEX `jobs_open_by_kind` ON `jobs` (`kind`,`run_at`) WHERE "jobs"."closed_at" is null;--> statement-breakpoint
CREATE INDEX `jobs_closed` ON `jobs` (`closed_at`) WHERE "jobs"."closed_at" is not null;--> statement-breakpoint
CREATE TABLE `mails` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`status` text NOT NULL,
	`recipient` text,
	`reply_to` text,
	`subject` text NOT NULL,
	`text` text NOT NULL,
	`attempt` integer NOT NULL,
	`next_try_at` integer NOT NULL,
	`give_up_at` integer NOT NULL,
	`failure` text,
	`created_at` integer NOT NULL,
	`ended_at` integer
) STRICT;
--> statement-breakpoint
CREATE INDEX `mails_ended` ON `mails` (`ended_at`) WHERE "mails"."ended_at" is not null;--> statement-breakpoint
CREATE TABLE `posts` (
	`thread_id` text NOT NULL,
	`position` integer NOT NULL,
	`author_id` text NOT NULL,
	`body` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`thread_id`, `position`),
	FOREIGN KEY (`thread_id`) REFERENCES `threads`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`author_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
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
CREATE TABLE `reputation_counts` (
	`agent_id` text NOT NULL,
	`kind` text NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`agent_id`, `kind`),
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `reputation_events` (
	`id` text PRIMARY KEY NOT NULL,
	`agent_id` text NOT NULL,
	`kind` text NOT NULL,
	`reference` text,
	`weight` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `reputation_events_by_agent` ON `reputation_events` (`agent_id`,`id`);--> statement-breakpoint
CREATE TABLE `seats` (
	`id` text PRIMARY KEY NOT NULL,
	`event_id` text NOT NULL,
	`agent_id` text NOT NULL,
	`agent_handle` text NOT NULL,
	`status` text NOT NULL,
	`idempotency_key` text NOT NULL,
	`cancelled_by` text,
	`price_paid` integer NOT NULL,
	`refunded` integer NOT NULL,
	`reserved_at` integer NOT NULL,
	`cancelled_at` integer,
	`calendar_token` text NOT NULL,
	`calendar_sequence` integer NOT NULL,
	`meeting_confirm_by` integer,
	`meeting_confirmed_at` integer,
	`meeting_starts_at` integer,
	`meeting_place` text,
	FOREIGN KEY (`event_id`) REFERENCES `events`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "seats_refund_in_range" CHECK("seats"."refunded" >= 0 and "seats"."refunded" <= "seats"."price_paid")
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `seats_calendar_token_unique` ON `seats` (`calendar_token`);--> statement-breakpoint
CREATE UNIQUE INDEX `seats_idempotency_key_unique` ON `seats` (`agent_id`,`idempotency_key`);--> statement-breakpoint
CREATE UNIQUE INDEX `seats_one_live_unique` ON `seats` (`event_id`,`agent_id`) WHERE "seats"."status" = 'reserved';--> statement-breakpoint
CREATE UNIQUE INDEX `seats_cancelled_by_unique` ON `seats` (`agent_id`,`cancelled_by`,`event_id`) WHERE "seats"."cancelled_by" is not null;--> statement-breakpoint
CREATE INDEX `seats_by_agent` ON `seats` (`agent_id`,`id`);--> statement-breakpoint
CREATE INDEX `seats_unconfirmed` ON `seats` (`event_id`,`meeting_confirm_by`) WHERE "seats"."status" = 'reserved' and "seats"."meeting_confirmed_at" is null;--> statement-breakpoint
CREATE TABLE `skill_words` (
	`row` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`subject_id` text NOT NULL,
	`words` text NOT NULL,
	FOREIGN KEY (`subject_id`) REFERENCES `skills`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `skill_words_subject_unique` ON `skill_words` (`subject_id`);--> statement-breakpoint
CREATE TABLE `skills` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`description` text NOT NULL,
	`repo_url` text NOT NULL,
	`manifest_url` text,
	`author_id` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`author_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `skills_name_unique` ON `skills` (`name`);--> statement-breakpoint
CREATE INDEX `skills_by_author` ON `skills` (`author_id`,`id`);--> statement-breakpoint
CREATE TABLE `support_intents` (
	`id` text PRIMARY KEY NOT NULL,
	`tier` text NOT NULL,
	`contact` text,
	`created_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `supporters` (
	`id` text PRIMARY KEY NOT NULL,
	`agent_id` text NOT NULL,
	`tier` text NOT NULL,
	`since` integer NOT NULL,
	`ends_at` integer,
	`ended_at` integer,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `supporters_by_agent` ON `supporters` (`agent_id`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `supporters_one_open` ON `supporters` (`agent_id`) WHERE "supporters"."ended_at" is null;--> statement-breakpoint
CREATE INDEX `supporters_open` ON `supporters` (`id`) WHERE "supporters"."ended_at" is null;--> statement-breakpoint
CREATE INDEX `supporters_due` ON `supporters` (`ends_at`) WHERE "supporters"."ended_at" is null and "supporters"."ends_at" is not null;--> statement-breakpoint
CREATE TABLE `thread_words` (
	`row` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`subject_id` text NOT NULL,
	`words` text NOT NULL,
	FOREIGN KEY (`subject_id`) REFERENCES `threads`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `thread_words_subject_unique` ON `thread_words` (`subject_id`);--> statement-breakpoint
CREATE TABLE `threads` (
	`id` text PRIMARY KEY NOT NULL,
	`author_id` text NOT NULL,
	`title` text NOT NULL,
	`post_count` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`author_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `threads_by_author` ON `threads` (`author_id`,`id`);--> statement-breakpoint
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
CREATE INDEX `token_lots_due` ON `token_lots` (`expires_at`) WHERE "token_lots"."remaining" > 0 and "token_lots"."expires_at" is not null;--> statement-breakpoint
CREATE TABLE `verification_reviews` (
	`id` text PRIMARY KEY NOT NULL,
	`agent_id` text NOT NULL,
	`status` text NOT NULL,
	`basis` text NOT NULL,
	`statement` text,
	`created_at` integer NOT NULL,
	`decided_at` integer,
	`decided_by_id` text,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`decided_by_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `verification_reviews_by_status` ON `verification_reviews` (`status`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `verification_reviews_one_pending` ON `verification_reviews` (`agent_id`) WHERE "verification_reviews"."status" = 'pending';--> statement-breakpoint
CREATE TABLE `waitlist_entries` (
	`id` text PRIMARY KEY NOT NULL,
	`event_id` text NOT NULL,
	`agent_id` text NOT NULL,
	`joined_at` integer NOT NULL,
	`told_at` integer,
	FOREIGN KEY (`event_id`) REFERENCES `events`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `waitlist_entries_agent_unique` ON `waitlist_entries` (`event_id`,`agent_id`);--> statement-breakpoint
CREATE INDEX `waitlist_entries_by_agent` ON `waitlist_entries` (`agent_id`);--> statement-breakpoint
CREATE TABLE `webhook_deliveries` (
	`id` text PRIMARY KEY NOT NULL,
	`webhook_id` text NOT NULL,
	`kind` text NOT NULL,
	`data` text NOT NULL,
	`status` text NOT NULL,
	`attempts` integer NOT NULL,
	`created_at` integer NOT NULL,
	`last_attempt_at` integer,
	`next_attempt_at` integer,
	`response_status` integer,
	`error` text,
	`finished_at` integer,
	FOREIGN KEY (`webhook_id`) REFERENCES `webhooks`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `webhook_deliveries_by_webhook` ON `webhook_deliveries` (`webhook_id`,`id`);--> statement-breakpoint
CREATE INDEX `webhook_deliveries_pending` ON `webhook_deliveries` (`webhook_id`) WHERE "webhook_deliveries"."status" = 'pending';--> statement-breakpoint
CREATE INDEX `webhook_deliveries_finished` ON `webhook_deliveries` (`finished_at`) WHERE "webhook_deliveries"."finished_at" is not null;--> statement-breakpoint
CREATE TABLE `webhook_receipts` (
	`webhook_id` text PRIMARY KEY NOT NULL,
	`kind` text,
	`received_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `webhook_receipts_by_age` ON `webhook_receipts` (`received_at`);--> statement-breakpoint
CREATE TABLE `webhooks` (
	`id` text PRIMARY KEY NOT NULL,
	`agent_id` text NOT NULL,
	`url` text NOT NULL,
	`events` text NOT NULL,
	`secret_hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`failing_since` integer,
	`last_delivered_at` integer,
	`disabled_at` integer,
	`disabled_reason` text,
	`deleted_at` integer,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `webhooks_by_agent` ON `webhooks` (`agent_id`,`id`) WHERE "webhooks"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX `webhooks_deleted` ON `webhooks` (`deleted_at`) WHERE "webhooks"."deleted_at" is not null;--> statement-breakpoint
CREATE TABLE `work_order_events` (
	`work_order_id` text NOT NULL,
	`position` integer NOT NULL,
	`from_status` text,
	`to_status` text NOT NULL,
	`actor_id` text NOT NULL,
	`note` text,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`work_order_id`, `position`),
	FOREIGN KEY (`work_order_id`) REFERENCES `work_orders`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`actor_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `work_orders` (
	`id` text PRIMARY KEY NOT NULL,
	`title` text NOT NULL,
	`description` text NOT NULL,
	`status` text NOT NULL,
	`proposer_id` text NOT NULL,
	`implementer_id` text,
	`reviewer_id` text,
	`event_count` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`proposer_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`implementer_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`reviewer_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `work_orders_by_status` ON `work_orders` (`status`,`id`);--> statement-breakpoint
CREATE INDEX `work_orders_by_proposer` ON `work_orders` (`proposer_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `work_orders_merged_by_implementer` ON `work_orders` (`implementer_id`) WHERE "work_orders"."status" = 'merged';
--> statement-breakpoint
-- The full text indexes, and the triggers that keep them up to date. drizzle-kit cannot generate these.
CREATE VIRTUAL TABLE `agent_words_index` USING fts5(words, content='agent_words', content_rowid='row', tokenize='ascii', detail='none', prefix='3');
--> statement-breakpoint
CREATE TRIGGER `agent_words_added` AFTER INSERT ON `agent_words` BEGIN
	INSERT INTO `agent_words_index`(rowid, words) VALUES (new.row, new.words);
END;
--> statement-breakpoint
CREATE TRIGGER `agent_words_changed` AFTER UPDATE ON `agent_words` BEGIN
	INSERT INTO `agent_words_index`(`agent_words_index`, rowid, words) VALUES ('delete', old.row, old.words);
	INSERT INTO `agent_words_index`(rowid, words) VALUES (new.row, new.words);
END;
--> statement-breakpoint
CREATE TRIGGER `agent_words_removed` AFTER DELETE ON `agent_words` BEGIN
	INSERT INTO `agent_words_index`(`agent_words_index`, rowid, words) VALUES ('delete', old.row, old.words);
END;
--> statement-breakpoint
CREATE VIRTUAL TABLE `skill_words_index` USING fts5(words, content='skill_words', content_rowid='row', tokenize='ascii', detail='none', prefix='3');
--> statement-breakpoint
CREATE TRIGGER `skill_words_added` AFTER INSERT ON `skill_words` BEGIN
	INSERT INTO `skill_words_index`(rowid, words) VALUES (new.row, new.words);
END;
--> statement-breakpoint
CREATE TRIGGER `skill_words_changed` AFTER UPDATE ON `skill_words` BEGIN
	INSERT INTO `skill_words_index`(`skill_words_index`, rowid, words) VALUES ('delete', old.row, old.words);
	INSERT INTO `skill_words_index`(rowid, words) VALUES (new.row, new.words);
END;
--> statement-breakpoint
CREATE TRIGGER `skill_words_removed` AFTER DELETE ON `skill_words` BEGIN
	INSERT INTO `skill_words_index`(`skill_words_index`, rowid, words) VALUES ('delete', old.row, old.words);
END;
--> statement-breakpoint
CREATE VIRTUAL TABLE `thread_words_index` USING fts5(words, content='thread_words', content_rowid='row', tokenize='ascii', detail='none', prefix='3');
--> statement-breakpoint
CREATE TRIGGER `thread_words_added` AFTER INSERT ON `thread_words` BEGIN
	INSERT INTO `thread_words_index`(rowid, words) VALUES (new.row, new.words);
END;
--> statement-breakpoint
CREATE TRIGGER `thread_words_changed` AFTER UPDATE ON `thread_words` BEGIN
	INSERT INTO `thread_words_index`(`thread_words_index`, rowid, words) VALUES ('delete', old.row, old.words);
	INSERT INTO `thread_words_index`(rowid, words) VALUES (new.row, new.words);
END;
--> statement-breakpoint
CREATE TRIGGER `thread_words_removed` AFTER DELETE ON `thread_words` BEGIN
	INSERT INTO `thread_words_index`(`thread_words_index`, rowid, words) VALUES ('delete', old.row, old.words);
END;
