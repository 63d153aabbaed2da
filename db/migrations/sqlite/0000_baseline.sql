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
	`publish_history` integer DEFAULT false NOT NULL,
	`network` text,
	`created_at` integer NOT NULL,
	`former_dids` text,
	`hidden_at` integer,
	`suspended_at` integer,
	`suspended_until` integer,
	`closed_at` integer,
	`allowance_period` integer DEFAULT 0 NOT NULL,
	`allowance_at` integer
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `agents_public_key_unique` ON `agents` (`public_key`);
--> statement-breakpoint
CREATE UNIQUE INDEX `agents_did_unique` ON `agents` (`did`);
--> statement-breakpoint
CREATE INDEX `agents_allowance_due` ON `agents` (`allowance_at`) WHERE "agents"."allowance_at" is not null;
--> statement-breakpoint
CREATE INDEX `agents_by_reputation` ON `agents` ("reputation_total" desc,`handle`);
--> statement-breakpoint
CREATE UNIQUE INDEX `agents_handle_unique` ON `agents` (`handle`) WHERE "agents"."closed_at" is null;
--> statement-breakpoint
CREATE INDEX `agents_suspended` ON `agents` (`id`) WHERE "agents"."suspended_at" is not null;
--> statement-breakpoint
CREATE INDEX `agents_closed` ON `agents` (`id`) WHERE "agents"."closed_at" is not null;
--> statement-breakpoint
CREATE INDEX `agents_verified` ON `agents` (`id`) WHERE "agents"."verified_badge" = true;
--> statement-breakpoint
CREATE INDEX `agents_by_network` ON `agents` (`network`,`id`) WHERE "agents"."network" is not null;
--> statement-breakpoint
CREATE TABLE `challenges` (
	`id` text PRIMARY KEY NOT NULL,
	`handle` text NOT NULL,
	`purpose` text NOT NULL,
	`profile` text,
	`public_key` text NOT NULL,
	`challenge` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`used_at` integer,
	`turn` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `challenges_by_handle` ON `challenges` (`handle`,`expires_at`,`id`);
--> statement-breakpoint
CREATE INDEX `challenges_by_expiry` ON `challenges` (`expires_at`);
--> statement-breakpoint
CREATE UNIQUE INDEX `challenges_one_open_registration` ON `challenges` (`handle`) WHERE "challenges"."purpose" = 'register' and "challenges"."used_at" is null;
--> statement-breakpoint
CREATE TABLE `bearer_tokens` (
	`id` text PRIMARY KEY NOT NULL,
	`agent_id` text NOT NULL,
	`token_hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer,
	`revoked_at` integer,
	`client_id` text,
	`client_name` text,
	`scopes` text,
	`access_scopes` text,
	`expires_at` integer,
	`family_hash` text,
	`refresh_hash` text,
	`refresh_expires_at` integer,
	`presented_hash` text,
	`token_salt` text,
	`issued_at` integer,
	`grant_id` text,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`grant_id`) REFERENCES `bearer_tokens`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `bearer_tokens_hash_unique` ON `bearer_tokens` (`token_hash`);
--> statement-breakpoint
CREATE UNIQUE INDEX `bearer_tokens_family_unique` ON `bearer_tokens` (`family_hash`);
--> statement-breakpoint
CREATE INDEX `bearer_tokens_by_grant` ON `bearer_tokens` (`grant_id`,`expires_at`) WHERE "bearer_tokens"."grant_id" is not null;
--> statement-breakpoint
CREATE INDEX `bearer_tokens_by_agent` ON `bearer_tokens` (`agent_id`,`id`);
--> statement-breakpoint
CREATE INDEX `bearer_tokens_by_refresh_expiry` ON `bearer_tokens` (`refresh_expires_at`) WHERE "bearer_tokens"."refresh_expires_at" is not null;
--> statement-breakpoint
CREATE TABLE `agent_cards` (
	`agent_id` text PRIMARY KEY NOT NULL,
	`url` text NOT NULL,
	`name` text NOT NULL,
	`skills` text NOT NULL,
	`interfaces` text NOT NULL,
	`signature` text NOT NULL,
	`checked_at` integer NOT NULL,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `former_keys` (
	`public_key` text PRIMARY KEY NOT NULL,
	`did` text NOT NULL,
	`agent_id` text NOT NULL,
	`replaced_at` integer NOT NULL,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `former_keys_did_unique` ON `former_keys` (`did`);
--> statement-breakpoint
CREATE INDEX `former_keys_by_agent` ON `former_keys` (`agent_id`);
--> statement-breakpoint
CREATE TABLE `token_accounts` (
	`agent_id` text PRIMARY KEY NOT NULL,
	`balance` integer NOT NULL,
	`last_sequence` integer NOT NULL,
	`free_eval_redemption_id` text,
	`free_agent_run_redemption_id` text,
	`free_suite_run_redemption_id` text,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "token_accounts_balance_not_negative" CHECK("token_accounts"."balance" >= 0)
) STRICT;
--> statement-breakpoint
CREATE TABLE `token_lots` (
	`id` text PRIMARY KEY NOT NULL,
	`agent_id` text NOT NULL,
	`amount` integer NOT NULL,
	`remaining` integer NOT NULL,
	`expires_at` integer,
	`had_grace` integer DEFAULT false NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "token_lots_remaining_in_range" CHECK("token_lots"."remaining" >= 0 and "token_lots"."remaining" <= "token_lots"."amount")
) STRICT;
--> statement-breakpoint
CREATE INDEX `token_lots_live` ON `token_lots` (`agent_id`,`expires_at`) WHERE "token_lots"."remaining" > 0;
--> statement-breakpoint
CREATE INDEX `token_lots_used_up` ON `token_lots` (`agent_id`,`id`) WHERE "token_lots"."remaining" = 0;
--> statement-breakpoint
CREATE INDEX `token_lots_due` ON `token_lots` (`expires_at`) WHERE "token_lots"."remaining" > 0 and "token_lots"."expires_at" is not null;
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
	`source` text DEFAULT '' NOT NULL,
	`expires_at` integer,
	`lots` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "token_entries_balance_not_negative" CHECK("token_entries"."balance_after" >= 0)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `token_entries_sequence_unique` ON `token_entries` (`agent_id`,`sequence`);
--> statement-breakpoint
CREATE UNIQUE INDEX `token_entries_reference_unique` ON `token_entries` (`reference`,`kind`,`source`) WHERE "token_entries"."reference" is not null;
--> statement-breakpoint
CREATE TABLE `runs` (
	`id` text PRIMARY KEY NOT NULL,
	`redemption_id` text NOT NULL,
	`agent_id` text NOT NULL,
	`product` text NOT NULL,
	`mode` text NOT NULL,
	`target_url` text,
	`target` text,
	`target_headers` text,
	`size` integer NOT NULL,
	`max_prompt_tokens` integer,
	`ranked` integer DEFAULT false NOT NULL,
	`host_named` integer DEFAULT false NOT NULL,
	`status` text NOT NULL,
	`charge_tokens` integer NOT NULL,
	`charge_free` integer NOT NULL,
	`charge_state` text NOT NULL,
	`attempt` integer DEFAULT 0 NOT NULL,
	`releases` integer DEFAULT 0 NOT NULL,
	`delayed_ms` integer DEFAULT 0 NOT NULL,
	`calls` integer DEFAULT 0 NOT NULL,
	`lease_until` integer,
	`progress_done` integer NOT NULL,
	`progress_total` integer NOT NULL,
	`score` real,
	`suite_name` text NOT NULL,
	`suite_version` text NOT NULL,
	`suite_seed` text NOT NULL,
	`replay_of` text,
	`seed_given` integer DEFAULT false NOT NULL,
	`regraded_from` text,
	`suite_id` text,
	`suite_version_id` text,
	`trials` integer DEFAULT 1 NOT NULL,
	`only` text,
	`share_replies` integer DEFAULT false NOT NULL,
	`label` text,
	`cases_seen` integer,
	`estimate` text,
	`failure_code` text,
	`failure_message` text,
	`failure_cause` text,
	`cancelled` integer DEFAULT false NOT NULL,
	`latency` text,
	`usage` text,
	`limit_s` integer,
	`due_at` integer,
	`created_at` integer NOT NULL,
	`started_at` integer,
	`finished_at` integer,
	`struck_at` integer,
	`items_pruned_at` integer,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `runs_redemption_unique` ON `runs` (`redemption_id`);
--> statement-breakpoint
CREATE INDEX `runs_by_agent` ON `runs` (`agent_id`,`id`);
--> statement-breakpoint
CREATE INDEX `runs_open_by_agent` ON `runs` (`agent_id`) WHERE "runs"."status" in ('queued', 'running');
--> statement-breakpoint
CREATE INDEX `runs_by_suite_name` ON `runs` (`agent_id`,`product`,`suite_name`,`id`);
--> statement-breakpoint
CREATE INDEX `runs_completed_by_agent` ON `runs` (`agent_id`,`product`,`id`) WHERE "runs"."status" = 'completed';
--> statement-breakpoint
CREATE INDEX `runs_ranked_by_agent` ON `runs` (`agent_id`,`finished_at`) WHERE "runs"."status" = 'completed' and "runs"."ranked" = true and "runs"."struck_at" is null;
--> statement-breakpoint
CREATE INDEX `runs_refunded_by_agent` ON `runs` (`agent_id`,`finished_at`) WHERE "runs"."charge_state" = 'refunded';
--> statement-breakpoint
CREATE INDEX `runs_with_items` ON `runs` (`finished_at`,`failure_code`) WHERE "runs"."finished_at" is not null and "runs"."items_pruned_at" is null;
--> statement-breakpoint
CREATE INDEX `runs_running` ON `runs` (`started_at`) WHERE "runs"."status" = 'running';
--> statement-breakpoint
CREATE INDEX `runs_due` ON `runs` (`due_at`) WHERE "runs"."status" in ('queued', 'running');
--> statement-breakpoint
CREATE INDEX `runs_by_suite` ON `runs` (`suite_id`,`id`) WHERE "runs"."suite_id" is not null;
--> statement-breakpoint
CREATE INDEX `runs_by_label` ON `runs` (`agent_id`,`label`,`id`) WHERE "runs"."label" is not null;
--> statement-breakpoint
CREATE TABLE `run_items` (
	`run_id` text NOT NULL,
	`item_index` integer NOT NULL,
	`position` integer NOT NULL,
	`result` text NOT NULL,
	`share` real NOT NULL,
	`unjudged` integer DEFAULT false NOT NULL,
	`last_answer` text,
	`finished_at` integer NOT NULL,
	PRIMARY KEY(`run_id`, `item_index`),
	FOREIGN KEY (`run_id`) REFERENCES `runs`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `run_items_position_unique` ON `run_items` (`run_id`,`position`);
--> statement-breakpoint
CREATE INDEX `run_items_unjudged` ON `run_items` (`run_id`,`item_index`) WHERE "run_items"."unjudged" = true;
--> statement-breakpoint
CREATE TABLE `run_leases` (
	`run_id` text NOT NULL,
	`item_index` integer NOT NULL,
	`worker` text DEFAULT 'main' NOT NULL,
	`times` integer NOT NULL,
	`retries` integer DEFAULT 0 NOT NULL,
	`handed_out_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`renewed` integer DEFAULT false NOT NULL,
	`steps` text NOT NULL,
	`latency_ms` integer NOT NULL,
	`usage` text,
	`context_id` text,
	PRIMARY KEY(`run_id`, `item_index`),
	FOREIGN KEY (`run_id`) REFERENCES `runs`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `run_scorecards` (
	`run_id` text PRIMARY KEY NOT NULL,
	`score_json` text NOT NULL,
	`changes` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`run_id`) REFERENCES `runs`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `issuer_keys` (
	`generation` integer PRIMARY KEY NOT NULL,
	`public_key` text NOT NULL,
	`created_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `issuer_keys_key_unique` ON `issuer_keys` (`public_key`);
--> statement-breakpoint
CREATE TABLE `run_credentials` (
	`position` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`run_id` text NOT NULL,
	`issued_at` integer NOT NULL,
	`revoked_at` integer,
	FOREIGN KEY (`run_id`) REFERENCES `runs`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `run_credentials_run_unique` ON `run_credentials` (`run_id`);
--> statement-breakpoint
CREATE INDEX `run_credentials_revoked` ON `run_credentials` (`position`) WHERE "run_credentials"."revoked_at" is not null;
--> statement-breakpoint
CREATE TABLE `agent_credentials` (
	`id` text PRIMARY KEY NOT NULL,
	`agent_id` text NOT NULL,
	`issuer` text NOT NULL,
	`host` text,
	`credential` text NOT NULL,
	`hash` text NOT NULL,
	`valid_until` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `agent_credentials_once` ON `agent_credentials` (`agent_id`,`hash`);
--> statement-breakpoint
CREATE TABLE `leaderboard_entries` (
	`agent_id` text NOT NULL,
	`product` text NOT NULL,
	`suite_version` text NOT NULL,
	`suite_version_id` text NOT NULL,
	`host` text,
	`host_named` integer DEFAULT false NOT NULL,
	`score` real NOT NULL,
	`low` real NOT NULL,
	`high` real NOT NULL,
	`cost` text NOT NULL,
	`runs` integer NOT NULL,
	`last_run_at` integer NOT NULL,
	PRIMARY KEY(`agent_id`, `product`, `suite_version`, `suite_version_id`),
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `leaderboard_entries_ranked` ON `leaderboard_entries` (`product`,`suite_version`,`suite_version_id`,"low" desc,`agent_id`) WHERE "leaderboard_entries"."runs" >= 3;
--> statement-breakpoint
CREATE INDEX `leaderboard_entries_provisional` ON `leaderboard_entries` (`product`,`suite_version`,`suite_version_id`,"low" desc,`agent_id`) WHERE "leaderboard_entries"."runs" < 3;
--> statement-breakpoint
CREATE INDEX `leaderboard_entries_by_host` ON `leaderboard_entries` (`product`,`suite_version`,`suite_version_id`,`host`,"score" desc,`agent_id`) WHERE "leaderboard_entries"."host" is not null;
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
	`changed_at` integer,
	FOREIGN KEY (`host_agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "events_seats_in_range" CHECK("events"."seats_taken" >= 0 and "events"."seats_taken" <= "events"."seats_total"),
	CONSTRAINT "events_price_not_negative" CHECK("events"."token_price" >= 0),
	CONSTRAINT "events_end_after_start" CHECK("events"."ends_at" > "events"."starts_at")
) STRICT;
--> statement-breakpoint
CREATE INDEX `events_by_start` ON `events` (`starts_at`,`id`,`ends_at`);
--> statement-breakpoint
CREATE INDEX `long_events_by_start` ON `events` (`starts_at`,`id`,`ends_at`) WHERE "events"."ends_at" - "events"."starts_at" > 86400000;
--> statement-breakpoint
CREATE INDEX `events_by_host` ON `events` (`host_agent_id`);
--> statement-breakpoint
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
CREATE UNIQUE INDEX `seats_calendar_token_unique` ON `seats` (`calendar_token`);
--> statement-breakpoint
CREATE UNIQUE INDEX `seats_idempotency_key_unique` ON `seats` (`agent_id`,`idempotency_key`);
--> statement-breakpoint
CREATE UNIQUE INDEX `seats_one_live_unique` ON `seats` (`event_id`,`agent_id`) WHERE "seats"."status" = 'reserved';
--> statement-breakpoint
CREATE UNIQUE INDEX `seats_cancelled_by_unique` ON `seats` (`agent_id`,`cancelled_by`,`event_id`) WHERE "seats"."cancelled_by" is not null;
--> statement-breakpoint
CREATE INDEX `seats_by_agent` ON `seats` (`agent_id`,`id`);
--> statement-breakpoint
CREATE INDEX `seats_by_event` ON `seats` (`event_id`,`id`);
--> statement-breakpoint
CREATE INDEX `seats_unconfirmed` ON `seats` (`event_id`,`meeting_confirm_by`) WHERE "seats"."status" = 'reserved' and "seats"."meeting_confirmed_at" is null;
--> statement-breakpoint
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
CREATE UNIQUE INDEX `waitlist_entries_agent_unique` ON `waitlist_entries` (`event_id`,`agent_id`);
--> statement-breakpoint
CREATE INDEX `waitlist_entries_by_agent` ON `waitlist_entries` (`agent_id`);
--> statement-breakpoint
CREATE TABLE `booking_notices` (
	`event_id` text NOT NULL,
	`agent_id` text NOT NULL,
	`sent_at` integer NOT NULL,
	PRIMARY KEY(`event_id`, `agent_id`),
	FOREIGN KEY (`event_id`) REFERENCES `events`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
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
CREATE INDEX `jobs_open` ON `jobs` (`published_at`,`id`) WHERE "jobs"."closed_at" is null;
--> statement-breakpoint
CREATE INDEX `jobs_open_by_kind` ON `jobs` (`kind`,`run_at`) WHERE "jobs"."closed_at" is null;
--> statement-breakpoint
CREATE INDEX `jobs_closed` ON `jobs` (`closed_at`) WHERE "jobs"."closed_at" is not null;
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
CREATE INDEX `idempotency_keys_by_age` ON `idempotency_keys` (`created_at`);
--> statement-breakpoint
CREATE TABLE `threads` (
	`id` text PRIMARY KEY NOT NULL,
	`author_id` text NOT NULL,
	`title` text NOT NULL,
	`post_count` integer NOT NULL,
	`created_at` integer NOT NULL,
	`last_reply_at` integer,
	`category` text,
	`hidden_at` integer,
	`opening_hidden_at` integer,
	`locked_at` integer,
	`deleted_at` integer,
	FOREIGN KEY (`author_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `threads_by_author` ON `threads` (`author_id`,`id`);
--> statement-breakpoint
CREATE INDEX `threads_by_activity` ON `threads` ((case when "last_reply_at" is null then "created_at" else "last_reply_at" end),`id`) WHERE "threads"."hidden_at" is null and "threads"."opening_hidden_at" is null and "threads"."deleted_at" is null;
--> statement-breakpoint
CREATE INDEX `threads_by_category` ON `threads` (`category`,(case when "last_reply_at" is null then "created_at" else "last_reply_at" end),`id`) WHERE "threads"."hidden_at" is null and "threads"."opening_hidden_at" is null and "threads"."deleted_at" is null;
--> statement-breakpoint
CREATE INDEX `threads_by_category_and_id` ON `threads` (`category`,`id`) WHERE "threads"."hidden_at" is null and "threads"."opening_hidden_at" is null and "threads"."deleted_at" is null;
--> statement-breakpoint
CREATE TABLE `posts` (
	`thread_id` text NOT NULL,
	`position` integer NOT NULL,
	`id` text NOT NULL,
	`author_id` text NOT NULL,
	`body` text NOT NULL,
	`created_at` integer NOT NULL,
	`edited_at` integer,
	`hidden_at` integer,
	`deleted_at` integer,
	PRIMARY KEY(`thread_id`, `position`),
	FOREIGN KEY (`thread_id`) REFERENCES `threads`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`author_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `posts_id_unique` ON `posts` (`id`);
--> statement-breakpoint
CREATE INDEX `posts_by_author` ON `posts` (`author_id`,`thread_id`);
--> statement-breakpoint
CREATE INDEX `posts_by_author_and_id` ON `posts` (`author_id`,`id`);
--> statement-breakpoint
CREATE TABLE `thread_reads` (
	`agent_id` text NOT NULL,
	`thread_id` text NOT NULL,
	`position` integer NOT NULL,
	`read_at` integer NOT NULL,
	PRIMARY KEY(`agent_id`, `thread_id`),
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`thread_id`) REFERENCES `threads`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `skills` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`description` text NOT NULL,
	`repo_url` text NOT NULL,
	`manifest_url` text,
	`author_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`edited_at` integer,
	`hidden_at` integer,
	`deleted_at` integer,
	FOREIGN KEY (`author_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `skills_name_unique` ON `skills` (`name`);
--> statement-breakpoint
CREATE INDEX `skills_by_author` ON `skills` (`author_id`,`id`);
--> statement-breakpoint
CREATE TABLE `skill_versions` (
	`id` text PRIMARY KEY NOT NULL,
	`skill_id` text NOT NULL,
	`note` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`skill_id`) REFERENCES `skills`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `skill_versions_by_skill` ON `skill_versions` (`skill_id`,`id`);
--> statement-breakpoint
CREATE TABLE `suites` (
	`id` text PRIMARY KEY NOT NULL,
	`owner_id` text NOT NULL,
	`name` text NOT NULL,
	`title` text NOT NULL,
	`description` text NOT NULL,
	`visibility` text NOT NULL,
	`newest_version` integer NOT NULL,
	`created_at` integer NOT NULL,
	`edited_at` integer,
	`retired_at` integer,
	`hidden_at` integer,
	`ran_at` integer,
	`ran_by_others_at` integer,
	FOREIGN KEY (`owner_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `suites_name_unique` ON `suites` (`owner_id`,`name`);
--> statement-breakpoint
CREATE INDEX `suites_by_owner` ON `suites` (`owner_id`,`id`);
--> statement-breakpoint
CREATE INDEX `suites_retired_by_name` ON `suites` (`name`) WHERE "suites"."retired_at" is not null;
--> statement-breakpoint
CREATE INDEX `suites_listed` ON `suites` (`id`) WHERE "suites"."visibility" <> 'private' and "suites"."hidden_at" is null and "suites"."retired_at" is null;
--> statement-breakpoint
CREATE TABLE `suite_tags` (
	`suite_id` text NOT NULL,
	`tag` text NOT NULL,
	`cases` integer NOT NULL,
	PRIMARY KEY(`suite_id`, `tag`),
	FOREIGN KEY (`suite_id`) REFERENCES `suites`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `suite_tags_by_tag` ON `suite_tags` (`tag`,`suite_id`);
--> statement-breakpoint
CREATE TABLE `suite_agents` (
	`suite_id` text NOT NULL,
	`agent_id` text NOT NULL,
	PRIMARY KEY(`suite_id`, `agent_id`),
	FOREIGN KEY (`suite_id`) REFERENCES `suites`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `suite_agents_by_agent` ON `suite_agents` (`agent_id`,`suite_id`);
--> statement-breakpoint
CREATE TABLE `suite_versions` (
	`id` text PRIMARY KEY NOT NULL,
	`suite_id` text NOT NULL,
	`version` integer NOT NULL,
	`hash` text NOT NULL,
	`document` text NOT NULL,
	`case_identities` text NOT NULL,
	`case_count` integer NOT NULL,
	`cases_added` integer NOT NULL,
	`cases_changed` integer NOT NULL,
	`cases_removed` integer NOT NULL,
	`trials` integer NOT NULL,
	`bytes` integer NOT NULL,
	`cases_with_images` integer NOT NULL,
	`prompt_tokens` integer NOT NULL,
	`longest_prompt_tokens` integer NOT NULL,
	`judges` text NOT NULL,
	`runner_judges` text NOT NULL,
	`license` text,
	`published_at` integer NOT NULL,
	FOREIGN KEY (`suite_id`) REFERENCES `suites`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `suite_versions_number_unique` ON `suite_versions` (`suite_id`,`version`);
--> statement-breakpoint
CREATE UNIQUE INDEX `suite_versions_hash_unique` ON `suite_versions` (`suite_id`,`hash`);
--> statement-breakpoint
CREATE TABLE `suite_images` (
	`id` text PRIMARY KEY NOT NULL,
	`suite_id` text NOT NULL,
	`sha256` text NOT NULL,
	`type` text NOT NULL,
	`bytes` integer NOT NULL,
	`base64` text NOT NULL,
	FOREIGN KEY (`suite_id`) REFERENCES `suites`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `suite_images_unique` ON `suite_images` (`suite_id`,`sha256`);
--> statement-breakpoint
CREATE TABLE `suite_drafts` (
	`id` text PRIMARY KEY NOT NULL,
	`suite_id` text NOT NULL,
	`asked` text NOT NULL,
	`reply` text NOT NULL,
	`verdict` text NOT NULL,
	`hash` text NOT NULL,
	`bytes` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`suite_id`) REFERENCES `suites`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `suite_drafts_by_suite` ON `suite_drafts` (`suite_id`,`id`);
--> statement-breakpoint
CREATE TABLE `search_words` (
	`row` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`kind` text NOT NULL,
	`subject_id` text NOT NULL,
	`words` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `search_words_subject_unique` ON `search_words` (`kind`,`subject_id`);
--> statement-breakpoint
CREATE TABLE `reputation_events` (
	`id` text PRIMARY KEY NOT NULL,
	`agent_id` text NOT NULL,
	`kind` text NOT NULL,
	`reference` text,
	`subject_id` text,
	`weight` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `reputation_events_by_agent` ON `reputation_events` (`agent_id`,`id`,`kind`);
--> statement-breakpoint
CREATE INDEX `reputation_events_by_subject` ON `reputation_events` (`subject_id`) WHERE "reputation_events"."subject_id" is not null;
--> statement-breakpoint
CREATE TABLE `work_orders` (
	`id` text PRIMARY KEY NOT NULL,
	`title` text NOT NULL,
	`description` text NOT NULL,
	`status` text NOT NULL,
	`proposer_id` text NOT NULL,
	`implementer_id` text,
	`reviewer_id` text,
	`bounty` integer DEFAULT 0 NOT NULL,
	`bounty_expires_at` integer,
	`vouched` integer,
	`artifact_url` text,
	`event_count` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`hidden_at` integer,
	FOREIGN KEY (`proposer_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`implementer_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`reviewer_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `work_orders_by_status` ON `work_orders` (`status`,`id`);
--> statement-breakpoint
CREATE INDEX `work_orders_by_proposer` ON `work_orders` (`proposer_id`,`id`);
--> statement-breakpoint
CREATE INDEX `work_orders_by_implementer` ON `work_orders` (`implementer_id`,`id`);
--> statement-breakpoint
CREATE INDEX `work_orders_by_reviewer` ON `work_orders` (`reviewer_id`,`id`);
--> statement-breakpoint
CREATE INDEX `work_orders_merged_by_implementer` ON `work_orders` (`implementer_id`) WHERE "work_orders"."status" = 'merged';
--> statement-breakpoint
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
CREATE INDEX `work_order_events_by_actor` ON `work_order_events` (`actor_id`,`work_order_id`);
--> statement-breakpoint
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
CREATE INDEX `work_order_comments_by_order` ON `work_order_comments` (`work_order_id`,`id`);
--> statement-breakpoint
CREATE INDEX `work_order_comments_by_author` ON `work_order_comments` (`author_id`,`id`);
--> statement-breakpoint
CREATE INDEX `work_order_comments_by_author_and_order` ON `work_order_comments` (`author_id`,`work_order_id`);
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
CREATE INDEX `supporters_by_agent` ON `supporters` (`agent_id`,`id`);
--> statement-breakpoint
CREATE UNIQUE INDEX `supporters_one_open` ON `supporters` (`agent_id`) WHERE "supporters"."ended_at" is null;
--> statement-breakpoint
CREATE INDEX `supporters_open` ON `supporters` (`id`) WHERE "supporters"."ended_at" is null;
--> statement-breakpoint
CREATE INDEX `supporters_due` ON `supporters` (`ends_at`) WHERE "supporters"."ended_at" is null and "supporters"."ends_at" is not null;
--> statement-breakpoint
CREATE TABLE `requests` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`agent_id` text NOT NULL,
	`status` text NOT NULL,
	`amount` integer,
	`basis` text,
	`reason` text,
	`note` text,
	`created_at` integer NOT NULL,
	`decided_at` integer,
	`decided_by_id` text,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`decided_by_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "requests_of_kind" CHECK(case "requests"."kind" when 'tokens' then "requests"."amount" is not null and "requests"."reason" is not null else "requests"."basis" is not null end)
) STRICT;
--> statement-breakpoint
CREATE INDEX `requests_by_kind` ON `requests` (`kind`,`id`);
--> statement-breakpoint
CREATE INDEX `requests_by_status` ON `requests` (`kind`,`status`,`id`);
--> statement-breakpoint
CREATE INDEX `requests_by_agent` ON `requests` (`agent_id`,`kind`,`id`);
--> statement-breakpoint
CREATE UNIQUE INDEX `requests_one_pending` ON `requests` (`agent_id`,`kind`) WHERE "requests"."status" = 'pending';
--> statement-breakpoint
CREATE TABLE `mails` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`status` text NOT NULL,
	`recipient` text,
	`reply_to` text,
	`subject` text NOT NULL,
	`text` text NOT NULL,
	`network_hash` text,
	`attempt` integer NOT NULL,
	`next_try_at` integer NOT NULL,
	`give_up_at` integer NOT NULL,
	`failure` text,
	`created_at` integer NOT NULL,
	`ended_at` integer
) STRICT;
--> statement-breakpoint
CREATE INDEX `mails_ended` ON `mails` (`ended_at`) WHERE "mails"."ended_at" is not null;
--> statement-breakpoint
CREATE INDEX `mails_by_network` ON `mails` (`network_hash`,`created_at`) WHERE "mails"."network_hash" is not null;
--> statement-breakpoint
CREATE INDEX `contact_mails_by_age` ON `mails` (`created_at`) WHERE "mails"."network_hash" is not null;
--> statement-breakpoint
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
	`updated_at` integer NOT NULL,
	`network_hash` text
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `inbox_emails_identity_unique` ON `inbox_emails` (`identity`);
--> statement-breakpoint
CREATE INDEX `inbox_emails_by_status` ON `inbox_emails` (`status`,`id`);
--> statement-breakpoint
CREATE INDEX `inbox_emails_by_sender` ON `inbox_emails` (`sender`);
--> statement-breakpoint
CREATE INDEX `inbox_emails_by_network` ON `inbox_emails` (`network_hash`,`received_at`) WHERE "inbox_emails"."network_hash" is not null;
--> statement-breakpoint
CREATE TABLE `webhooks` (
	`id` text PRIMARY KEY NOT NULL,
	`agent_id` text NOT NULL,
	`url` text NOT NULL,
	`events` text NOT NULL,
	`secret_hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`state` text DEFAULT 'active' NOT NULL,
	`failing_since` integer,
	`last_delivered_at` integer,
	`disabled_at` integer,
	`disabled_reason` text,
	`deleted_at` integer,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `webhooks_by_agent` ON `webhooks` (`agent_id`,`id`) WHERE "webhooks"."deleted_at" is null;
--> statement-breakpoint
CREATE INDEX `webhooks_deleted_by_agent` ON `webhooks` (`agent_id`,`id`) WHERE "webhooks"."deleted_at" is not null;
--> statement-breakpoint
CREATE INDEX `webhooks_deleted` ON `webhooks` (`deleted_at`) WHERE "webhooks"."deleted_at" is not null;
--> statement-breakpoint
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
CREATE INDEX `webhook_deliveries_by_webhook` ON `webhook_deliveries` (`webhook_id`,`id`);
--> statement-breakpoint
CREATE INDEX `webhook_deliveries_pending` ON `webhook_deliveries` (`webhook_id`) WHERE "webhook_deliveries"."status" = 'pending';
--> statement-breakpoint
CREATE INDEX `webhook_deliveries_finished` ON `webhook_deliveries` (`finished_at`) WHERE "webhook_deliveries"."finished_at" is not null;
--> statement-breakpoint
CREATE TABLE `sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`agent_id` text NOT NULL,
	`bearer_token_id` text,
	`link_hash` text,
	`session_hash` text,
	`user_agent` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`bearer_token_id`) REFERENCES `bearer_tokens`(`id`) ON UPDATE no action ON DELETE cascade
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `sessions_link_unique` ON `sessions` (`link_hash`);
--> statement-breakpoint
CREATE UNIQUE INDEX `sessions_hash_unique` ON `sessions` (`session_hash`);
--> statement-breakpoint
CREATE INDEX `sessions_by_agent` ON `sessions` (`agent_id`,`id`);
--> statement-breakpoint
CREATE INDEX `sessions_by_token` ON `sessions` (`bearer_token_id`);
--> statement-breakpoint
CREATE TABLE `oauth_clients` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`redirect_uris` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer
) STRICT;
--> statement-breakpoint
CREATE INDEX `oauth_clients_by_use` ON `oauth_clients` (`last_used_at`,`created_at`);
--> statement-breakpoint
CREATE TABLE `oauth_requests` (
	`id` text PRIMARY KEY NOT NULL,
	`request_hash` text NOT NULL,
	`client_id` text NOT NULL,
	`client_name` text NOT NULL,
	`redirect_uri` text NOT NULL,
	`scopes` text NOT NULL,
	`state` text,
	`code_challenge` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`agent_id` text,
	`code_hash` text,
	`used_at` integer,
	`bearer_token_id` text,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`bearer_token_id`) REFERENCES `bearer_tokens`(`id`) ON UPDATE no action ON DELETE set null
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `oauth_requests_hash_unique` ON `oauth_requests` (`request_hash`);
--> statement-breakpoint
CREATE UNIQUE INDEX `oauth_requests_code_unique` ON `oauth_requests` (`code_hash`);
--> statement-breakpoint
CREATE INDEX `oauth_requests_by_creation` ON `oauth_requests` (`created_at`);
--> statement-breakpoint
CREATE INDEX `oauth_requests_by_agent` ON `oauth_requests` (`agent_id`,`id`);
--> statement-breakpoint
CREATE INDEX `oauth_requests_by_token` ON `oauth_requests` (`bearer_token_id`);
--> statement-breakpoint
CREATE TABLE `shared_runs` (
	`id` text PRIMARY KEY NOT NULL,
	`agent_id` text NOT NULL,
	`run_id` text NOT NULL,
	`prompts` integer NOT NULL,
	`created_at` integer NOT NULL,
	`hidden_at` integer,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `shared_runs_run_unique` ON `shared_runs` (`run_id`);
--> statement-breakpoint
CREATE INDEX `shared_runs_by_agent` ON `shared_runs` (`agent_id`,`id`);
--> statement-breakpoint
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
CREATE UNIQUE INDEX `reports_once` ON `reports` (`reporter_id`,`subject_kind`,`subject_id`);
--> statement-breakpoint
CREATE INDEX `reports_by_status` ON `reports` (`status`,`id`);
--> statement-breakpoint
CREATE INDEX `reports_by_reporter` ON `reports` (`reporter_id`,`created_at`);
--> statement-breakpoint
CREATE INDEX `reports_by_subject` ON `reports` (`subject_id`);
--> statement-breakpoint
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
CREATE INDEX `moderation_entries_by_time` ON `moderation_entries` (`created_at`);
--> statement-breakpoint
CREATE INDEX `moderation_entries_by_actor` ON `moderation_entries` (`actor_id`);
--> statement-breakpoint
CREATE INDEX `moderation_entries_by_subject` ON `moderation_entries` (`subject_id`,`id`);
--> statement-breakpoint
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
CREATE UNIQUE INDEX `notifications_sequence_unique` ON `notifications` (`agent_id`,`sequence`);
--> statement-breakpoint
CREATE INDEX `notifications_by_age` ON `notifications` (`created_at`);
--> statement-breakpoint
CREATE TABLE `hub_backups` (
	`id` text PRIMARY KEY NOT NULL,
	`started_at` integer NOT NULL,
	`held_until` integer NOT NULL,
	`ended_at` integer,
	`machine` text NOT NULL,
	`file` text,
	`bytes` integer,
	`failed_step` text,
	`failure` text
) STRICT;
--> statement-breakpoint
CREATE INDEX `hub_backups_by_start` ON `hub_backups` (`started_at`);
--> statement-breakpoint
CREATE TABLE `stored_bytes` (
	`holder` text NOT NULL,
	`day` integer NOT NULL,
	`bytes` integer NOT NULL,
	PRIMARY KEY(`holder`, `day`)
) STRICT;
--> statement-breakpoint
CREATE INDEX `stored_bytes_by_day` ON `stored_bytes` (`day`);
--> statement-breakpoint
CREATE TABLE `erasures` (
	`kind` text NOT NULL,
	`subject_id` text NOT NULL,
	`step` text,
	`after` text,
	`passes` integer DEFAULT 0 NOT NULL,
	`due_at` integer NOT NULL,
	PRIMARY KEY(`kind`, `subject_id`)
) STRICT;
--> statement-breakpoint
CREATE INDEX `erasures_due` ON `erasures` (`due_at`);
--> statement-breakpoint
CREATE TABLE `setting_changes` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`before` text,
	`after` text,
	`actor_id` text,
	`created_at` integer NOT NULL,
	`replaced_at` integer,
	FOREIGN KEY (`actor_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `setting_changes_last` ON `setting_changes` (`name`) WHERE "setting_changes"."replaced_at" is null;
--> statement-breakpoint
CREATE INDEX `setting_changes_by_actor` ON `setting_changes` (`actor_id`);
--> statement-breakpoint
CREATE VIRTUAL TABLE `search_words_index` USING fts5(words, content='search_words', content_rowid='row', tokenize='ascii', detail='none', prefix='4 5 6');
--> statement-breakpoint
INSERT INTO `search_words_index`(`search_words_index`, rank) VALUES ('secure-delete', 1);
--> statement-breakpoint
CREATE TRIGGER `search_words_added` AFTER INSERT ON `search_words` BEGIN
	INSERT INTO `search_words_index`(rowid, words) VALUES (new.row, new.words);
END;
--> statement-breakpoint
CREATE TRIGGER `search_words_changed` AFTER UPDATE ON `search_words` BEGIN
	INSERT INTO `search_words_index`(`search_words_index`, rowid, words) VALUES ('delete', old.row, old.words);
	INSERT INTO `search_words_index`(rowid, words) VALUES (new.row, new.words);
END;
--> statement-breakpoint
CREATE TRIGGER `search_words_removed` AFTER DELETE ON `search_words` BEGIN
	INSERT INTO `search_words_index`(`search_words_index`, rowid, words) VALUES ('delete', old.row, old.words);
END;
