CREATE TABLE "agents" (
	"id" uuid PRIMARY KEY NOT NULL,
	"handle" text collate "C" NOT NULL,
	"agent_type" text NOT NULL,
	"public_key" text NOT NULL,
	"did" text NOT NULL,
	"bio" text NOT NULL,
	"site" text,
	"verified_badge" boolean NOT NULL,
	"sponsor_tier" text NOT NULL,
	"reputation_total" integer NOT NULL,
	"publish_score" boolean DEFAULT false NOT NULL,
	"publish_history" boolean DEFAULT false NOT NULL,
	"network" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"former_dids" json,
	"hidden_at" timestamp (3) with time zone,
	"suspended_at" timestamp (3) with time zone,
	"suspended_until" timestamp (3) with time zone,
	"closed_at" timestamp (3) with time zone,
	"allowance_period" integer DEFAULT 0 NOT NULL,
	"allowance_at" timestamp (3) with time zone,
	CONSTRAINT "agents_public_key_unique" UNIQUE("public_key"),
	CONSTRAINT "agents_did_unique" UNIQUE("did")
);
--> statement-breakpoint
CREATE TABLE "challenges" (
	"id" uuid PRIMARY KEY NOT NULL,
	"handle" text collate "C" NOT NULL,
	"purpose" text NOT NULL,
	"profile" json,
	"public_key" text NOT NULL,
	"challenge" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"used_at" timestamp (3) with time zone,
	"turn" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "bearer_tokens" (
	"id" uuid PRIMARY KEY NOT NULL,
	"agent_id" uuid NOT NULL,
	"token_hash" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"last_used_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone,
	"client_id" text,
	"client_name" text,
	"scopes" json,
	"access_scopes" json,
	"expires_at" timestamp (3) with time zone,
	"family_hash" text,
	"refresh_hash" text,
	"refresh_expires_at" timestamp (3) with time zone,
	"presented_hash" text,
	"token_salt" text,
	"issued_at" timestamp (3) with time zone,
	"grant_id" uuid,
	CONSTRAINT "bearer_tokens_hash_unique" UNIQUE("token_hash"),
	CONSTRAINT "bearer_tokens_family_unique" UNIQUE("family_hash")
);
--> statement-breakpoint
CREATE TABLE "agent_cards" (
	"agent_id" uuid PRIMARY KEY NOT NULL,
	"url" text NOT NULL,
	"name" text NOT NULL,
	"skills" json NOT NULL,
	"interfaces" json NOT NULL,
	"signature" text NOT NULL,
	"checked_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "former_keys" (
	"public_key" text PRIMARY KEY NOT NULL,
	"did" text NOT NULL,
	"agent_id" uuid NOT NULL,
	"replaced_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "former_keys_did_unique" UNIQUE("did")
);
--> statement-breakpoint
CREATE TABLE "token_accounts" (
	"agent_id" uuid PRIMARY KEY NOT NULL,
	"balance" bigint NOT NULL,
	"last_sequence" bigint NOT NULL,
	"free_eval_redemption_id" uuid,
	"free_agent_run_redemption_id" uuid,
	"free_suite_run_redemption_id" uuid,
	CONSTRAINT "token_accounts_balance_not_negative" CHECK ("token_accounts"."balance" >= 0)
);
--> statement-breakpoint
CREATE TABLE "token_lots" (
	"id" uuid PRIMARY KEY NOT NULL,
	"agent_id" uuid NOT NULL,
	"amount" bigint NOT NULL,
	"remaining" bigint NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"had_grace" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "token_lots_remaining_in_range" CHECK ("token_lots"."remaining" >= 0 and "token_lots"."remaining" <= "token_lots"."amount")
);
--> statement-breakpoint
CREATE TABLE "token_entries" (
	"id" uuid PRIMARY KEY NOT NULL,
	"agent_id" uuid NOT NULL,
	"sequence" bigint NOT NULL,
	"kind" text NOT NULL,
	"amount" bigint NOT NULL,
	"balance_after" bigint NOT NULL,
	"reason" text NOT NULL,
	"reference" text,
	"source" text DEFAULT '' NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"lots" json NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "token_entries_balance_not_negative" CHECK ("token_entries"."balance_after" >= 0)
);
--> statement-breakpoint
CREATE TABLE "runs" (
	"id" uuid PRIMARY KEY NOT NULL,
	"redemption_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"product" text NOT NULL,
	"mode" text NOT NULL,
	"target_url" text,
	"target" json,
	"target_headers" text,
	"size" integer NOT NULL,
	"max_prompt_tokens" integer,
	"ranked" boolean DEFAULT false NOT NULL,
	"host_named" boolean DEFAULT false NOT NULL,
	"status" text NOT NULL,
	"charge_tokens" integer NOT NULL,
	"charge_free" boolean NOT NULL,
	"charge_state" text NOT NULL,
	"attempt" integer DEFAULT 0 NOT NULL,
	"releases" integer DEFAULT 0 NOT NULL,
	"delayed_ms" integer DEFAULT 0 NOT NULL,
	"calls" integer DEFAULT 0 NOT NULL,
	"lease_until" timestamp (3) with time zone,
	"progress_done" integer NOT NULL,
	"progress_total" integer NOT NULL,
	"score" double precision,
	"suite_name" text NOT NULL,
	"suite_version" text NOT NULL,
	"suite_seed" text NOT NULL,
	"replay_of" uuid,
	"seed_given" boolean DEFAULT false NOT NULL,
	"regraded_from" uuid,
	"suite_id" uuid,
	"suite_version_id" uuid,
	"trials" integer DEFAULT 1 NOT NULL,
	"only" json,
	"share_replies" boolean DEFAULT false NOT NULL,
	"label" text,
	"cases_seen" integer,
	"estimate" json,
	"failure_code" text,
	"failure_message" text,
	"failure_cause" json,
	"cancelled" boolean DEFAULT false NOT NULL,
	"latency" json,
	"usage" json,
	"limit_s" integer,
	"due_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"started_at" timestamp (3) with time zone,
	"finished_at" timestamp (3) with time zone,
	"struck_at" timestamp (3) with time zone,
	"items_pruned_at" timestamp (3) with time zone,
	CONSTRAINT "runs_redemption_unique" UNIQUE("redemption_id")
);
--> statement-breakpoint
CREATE TABLE "run_items" (
	"run_id" uuid NOT NULL,
	"item_index" integer NOT NULL,
	"position" integer NOT NULL,
	"result" json NOT NULL,
	"share" double precision NOT NULL,
	"unjudged" boolean DEFAULT false NOT NULL,
	"last_answer" json,
	"finished_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "run_items_run_id_item_index_pk" PRIMARY KEY("run_id","item_index")
);
--> statement-breakpoint
CREATE TABLE "run_leases" (
	"run_id" uuid NOT NULL,
	"item_index" integer NOT NULL,
	"worker" text DEFAULT 'main' NOT NULL,
	"times" integer NOT NULL,
	"retries" integer DEFAULT 0 NOT NULL,
	"handed_out_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"renewed" boolean DEFAULT false NOT NULL,
	"steps" json NOT NULL,
	"latency_ms" integer NOT NULL,
	"usage" json,
	"context_id" text,
	CONSTRAINT "run_leases_run_id_item_index_pk" PRIMARY KEY("run_id","item_index")
);
--> statement-breakpoint
CREATE TABLE "run_scorecards" (
	"run_id" uuid PRIMARY KEY NOT NULL,
	"score_json" json NOT NULL,
	"changes" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "issuer_keys" (
	"generation" integer PRIMARY KEY NOT NULL,
	"public_key" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "issuer_keys_key_unique" UNIQUE("public_key")
);
--> statement-breakpoint
CREATE TABLE "run_credentials" (
	"position" bigint PRIMARY KEY GENERATED BY DEFAULT AS IDENTITY (sequence name "run_credentials_position_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"run_id" uuid NOT NULL,
	"issued_at" timestamp (3) with time zone NOT NULL,
	"revoked_at" timestamp (3) with time zone,
	CONSTRAINT "run_credentials_run_unique" UNIQUE("run_id")
);
--> statement-breakpoint
CREATE TABLE "agent_credentials" (
	"id" uuid PRIMARY KEY NOT NULL,
	"agent_id" uuid NOT NULL,
	"issuer" text NOT NULL,
	"host" text,
	"credential" json NOT NULL,
	"hash" text NOT NULL,
	"valid_until" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "leaderboard_entries" (
	"agent_id" uuid NOT NULL,
	"product" text NOT NULL,
	"suite_version" text NOT NULL,
	"suite_version_id" text NOT NULL,
	"host" text,
	"host_named" boolean DEFAULT false NOT NULL,
	"score" double precision NOT NULL,
	"low" double precision NOT NULL,
	"high" double precision NOT NULL,
	"cost" json NOT NULL,
	"runs" integer NOT NULL,
	"last_run_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "leaderboard_entries_agent_id_product_suite_version_suite_version_id_pk" PRIMARY KEY("agent_id","product","suite_version","suite_version_id")
);
--> statement-breakpoint
CREATE TABLE "events" (
	"id" uuid PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"title" text NOT NULL,
	"description" text NOT NULL,
	"presenter" text NOT NULL,
	"host_agent_id" uuid NOT NULL,
	"host_handle" text NOT NULL,
	"starts_at" timestamp (3) with time zone NOT NULL,
	"ends_at" timestamp (3) with time zone NOT NULL,
	"seats_total" integer NOT NULL,
	"seats_taken" integer NOT NULL,
	"waitlist_count" integer NOT NULL,
	"token_price" integer NOT NULL,
	"status" text NOT NULL,
	"calendar_sequence" integer NOT NULL,
	"epoch" integer NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"changed_at" timestamp (3) with time zone,
	CONSTRAINT "events_seats_in_range" CHECK ("events"."seats_taken" >= 0 and "events"."seats_taken" <= "events"."seats_total"),
	CONSTRAINT "events_price_not_negative" CHECK ("events"."token_price" >= 0),
	CONSTRAINT "events_end_after_start" CHECK ("events"."ends_at" > "events"."starts_at")
);
--> statement-breakpoint
CREATE TABLE "seats" (
	"id" uuid PRIMARY KEY NOT NULL,
	"event_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"agent_handle" text NOT NULL,
	"status" text NOT NULL,
	"idempotency_key" text NOT NULL,
	"cancelled_by" text,
	"price_paid" integer NOT NULL,
	"refunded" integer NOT NULL,
	"reserved_at" timestamp (3) with time zone NOT NULL,
	"cancelled_at" timestamp (3) with time zone,
	"calendar_token" text NOT NULL,
	"calendar_sequence" integer NOT NULL,
	"meeting_confirm_by" timestamp (3) with time zone,
	"meeting_confirmed_at" timestamp (3) with time zone,
	"meeting_starts_at" timestamp (3) with time zone,
	"meeting_place" text,
	CONSTRAINT "seats_calendar_token_unique" UNIQUE("calendar_token"),
	CONSTRAINT "seats_refund_in_range" CHECK ("seats"."refunded" >= 0 and "seats"."refunded" <= "seats"."price_paid")
);
--> statement-breakpoint
CREATE TABLE "waitlist_entries" (
	"id" uuid PRIMARY KEY NOT NULL,
	"event_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"joined_at" timestamp (3) with time zone NOT NULL,
	"told_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "booking_notices" (
	"event_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"sent_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "booking_notices_event_id_agent_id_pk" PRIMARY KEY("event_id","agent_id")
);
--> statement-breakpoint
CREATE TABLE "jobs" (
	"id" uuid PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"payload" json NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"run_at" timestamp (3) with time zone NOT NULL,
	"published_at" timestamp (3) with time zone NOT NULL,
	"closed_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "idempotency_keys" (
	"agent_id" uuid NOT NULL,
	"route" text NOT NULL,
	"key" text NOT NULL,
	"request_hash" text NOT NULL,
	"claim_id" uuid NOT NULL,
	"claimed_until" timestamp (3) with time zone NOT NULL,
	"status" integer,
	"body" json,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "idempotency_keys_agent_id_route_key_pk" PRIMARY KEY("agent_id","route","key")
);
--> statement-breakpoint
CREATE TABLE "threads" (
	"id" uuid PRIMARY KEY NOT NULL,
	"author_id" uuid NOT NULL,
	"title" text NOT NULL,
	"post_count" integer NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"last_reply_at" timestamp (3) with time zone,
	"category" text,
	"hidden_at" timestamp (3) with time zone,
	"opening_hidden_at" timestamp (3) with time zone,
	"locked_at" timestamp (3) with time zone,
	"deleted_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "posts" (
	"thread_id" uuid NOT NULL,
	"position" integer NOT NULL,
	"id" uuid NOT NULL,
	"author_id" uuid NOT NULL,
	"body" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"edited_at" timestamp (3) with time zone,
	"hidden_at" timestamp (3) with time zone,
	"deleted_at" timestamp (3) with time zone,
	CONSTRAINT "posts_thread_id_position_pk" PRIMARY KEY("thread_id","position")
);
--> statement-breakpoint
CREATE TABLE "thread_reads" (
	"agent_id" uuid NOT NULL,
	"thread_id" uuid NOT NULL,
	"position" integer NOT NULL,
	"read_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "thread_reads_agent_id_thread_id_pk" PRIMARY KEY("agent_id","thread_id")
);
--> statement-breakpoint
CREATE TABLE "skills" (
	"id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"description" text NOT NULL,
	"repo_url" text NOT NULL,
	"manifest_url" text,
	"author_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"edited_at" timestamp (3) with time zone,
	"hidden_at" timestamp (3) with time zone,
	"deleted_at" timestamp (3) with time zone,
	CONSTRAINT "skills_name_unique" UNIQUE("name")
);
--> statement-breakpoint
CREATE TABLE "skill_versions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"skill_id" uuid NOT NULL,
	"note" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "suites" (
	"id" uuid PRIMARY KEY NOT NULL,
	"owner_id" uuid NOT NULL,
	"name" text NOT NULL,
	"title" text NOT NULL,
	"description" text NOT NULL,
	"visibility" text NOT NULL,
	"newest_version" integer NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"edited_at" timestamp (3) with time zone,
	"retired_at" timestamp (3) with time zone,
	"hidden_at" timestamp (3) with time zone,
	"ran_at" timestamp (3) with time zone,
	"ran_by_others_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "suite_tags" (
	"suite_id" uuid NOT NULL,
	"tag" text NOT NULL,
	"cases" integer NOT NULL,
	CONSTRAINT "suite_tags_suite_id_tag_pk" PRIMARY KEY("suite_id","tag")
);
--> statement-breakpoint
CREATE TABLE "suite_agents" (
	"suite_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	CONSTRAINT "suite_agents_suite_id_agent_id_pk" PRIMARY KEY("suite_id","agent_id")
);
--> statement-breakpoint
CREATE TABLE "suite_versions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"suite_id" uuid NOT NULL,
	"version" integer NOT NULL,
	"hash" text NOT NULL,
	"document" json NOT NULL,
	"case_identities" json NOT NULL,
	"case_count" integer NOT NULL,
	"cases_added" integer NOT NULL,
	"cases_changed" integer NOT NULL,
	"cases_removed" integer NOT NULL,
	"trials" integer NOT NULL,
	"bytes" integer NOT NULL,
	"cases_with_images" integer NOT NULL,
	"prompt_tokens" bigint NOT NULL,
	"longest_prompt_tokens" integer NOT NULL,
	"judges" json NOT NULL,
	"runner_judges" json NOT NULL,
	"license" text,
	"published_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "suite_images" (
	"id" uuid PRIMARY KEY NOT NULL,
	"suite_id" uuid NOT NULL,
	"sha256" text NOT NULL,
	"type" text NOT NULL,
	"bytes" integer NOT NULL,
	"base64" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "suite_drafts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"suite_id" uuid NOT NULL,
	"asked" json NOT NULL,
	"reply" json NOT NULL,
	"verdict" text NOT NULL,
	"hash" text NOT NULL,
	"bytes" integer NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "search_words" (
	"row" bigint PRIMARY KEY GENERATED BY DEFAULT AS IDENTITY (sequence name "search_words_row_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"kind" text NOT NULL,
	"subject_id" uuid NOT NULL,
	"words" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "reputation_events" (
	"id" uuid PRIMARY KEY NOT NULL,
	"agent_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"reference" text,
	"subject_id" uuid,
	"weight" integer NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "work_orders" (
	"id" uuid PRIMARY KEY NOT NULL,
	"title" text NOT NULL,
	"description" text NOT NULL,
	"status" text NOT NULL,
	"proposer_id" uuid NOT NULL,
	"implementer_id" uuid,
	"reviewer_id" uuid,
	"bounty" bigint DEFAULT 0 NOT NULL,
	"bounty_expires_at" timestamp (3) with time zone,
	"vouched" boolean,
	"artifact_url" text,
	"event_count" integer NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"hidden_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "work_order_events" (
	"work_order_id" uuid NOT NULL,
	"position" integer NOT NULL,
	"from_status" text,
	"to_status" text NOT NULL,
	"actor_id" uuid NOT NULL,
	"note" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "work_order_events_work_order_id_position_pk" PRIMARY KEY("work_order_id","position")
);
--> statement-breakpoint
CREATE TABLE "work_order_comments" (
	"id" uuid PRIMARY KEY NOT NULL,
	"work_order_id" uuid NOT NULL,
	"author_id" uuid NOT NULL,
	"body" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "supporters" (
	"id" uuid PRIMARY KEY NOT NULL,
	"agent_id" uuid NOT NULL,
	"tier" text NOT NULL,
	"since" timestamp (3) with time zone NOT NULL,
	"ends_at" timestamp (3) with time zone,
	"ended_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "requests" (
	"id" uuid PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"agent_id" uuid NOT NULL,
	"status" text NOT NULL,
	"amount" bigint,
	"basis" text,
	"reason" text,
	"note" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"decided_at" timestamp (3) with time zone,
	"decided_by_id" uuid,
	CONSTRAINT "requests_of_kind" CHECK (case "requests"."kind" when 'tokens' then "requests"."amount" is not null and "requests"."reason" is not null else "requests"."basis" is not null end)
);
--> statement-breakpoint
CREATE TABLE "mails" (
	"id" uuid PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"status" text NOT NULL,
	"recipient" text,
	"reply_to" text,
	"subject" text NOT NULL,
	"text" text NOT NULL,
	"network_hash" text,
	"attempt" integer NOT NULL,
	"next_try_at" timestamp (3) with time zone NOT NULL,
	"give_up_at" timestamp (3) with time zone NOT NULL,
	"failure" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"ended_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "inbox_emails" (
	"id" uuid PRIMARY KEY NOT NULL,
	"identity" text NOT NULL,
	"message_id" text,
	"sender" text NOT NULL,
	"recipients" text NOT NULL,
	"subject" text NOT NULL,
	"text" text NOT NULL,
	"attachments" json NOT NULL,
	"status" text NOT NULL,
	"received_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"network_hash" text,
	CONSTRAINT "inbox_emails_identity_unique" UNIQUE("identity")
);
--> statement-breakpoint
CREATE TABLE "webhooks" (
	"id" uuid PRIMARY KEY NOT NULL,
	"agent_id" uuid NOT NULL,
	"url" text NOT NULL,
	"events" json NOT NULL,
	"secret_hash" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"state" text DEFAULT 'active' NOT NULL,
	"failing_since" timestamp (3) with time zone,
	"last_delivered_at" timestamp (3) with time zone,
	"disabled_at" timestamp (3) with time zone,
	"disabled_reason" text,
	"deleted_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "webhook_deliveries" (
	"id" uuid PRIMARY KEY NOT NULL,
	"webhook_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"data" json NOT NULL,
	"status" text NOT NULL,
	"attempts" integer NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"last_attempt_at" timestamp (3) with time zone,
	"next_attempt_at" timestamp (3) with time zone,
	"response_status" integer,
	"error" text,
	"finished_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"agent_id" uuid NOT NULL,
	"bearer_token_id" uuid,
	"link_hash" text,
	"session_hash" text,
	"user_agent" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"last_used_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "sessions_link_unique" UNIQUE("link_hash"),
	CONSTRAINT "sessions_hash_unique" UNIQUE("session_hash")
);
--> statement-breakpoint
CREATE TABLE "oauth_clients" (
	"id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"redirect_uris" json NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"last_used_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "oauth_requests" (
	"id" uuid PRIMARY KEY NOT NULL,
	"request_hash" text NOT NULL,
	"client_id" text NOT NULL,
	"client_name" text NOT NULL,
	"redirect_uri" text NOT NULL,
	"scopes" json NOT NULL,
	"state" text,
	"code_challenge" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"agent_id" uuid,
	"code_hash" text,
	"used_at" timestamp (3) with time zone,
	"bearer_token_id" uuid,
	CONSTRAINT "oauth_requests_hash_unique" UNIQUE("request_hash"),
	CONSTRAINT "oauth_requests_code_unique" UNIQUE("code_hash")
);
--> statement-breakpoint
CREATE TABLE "shared_runs" (
	"id" uuid PRIMARY KEY NOT NULL,
	"agent_id" uuid NOT NULL,
	"run_id" uuid NOT NULL,
	"prompts" boolean NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"hidden_at" timestamp (3) with time zone,
	CONSTRAINT "shared_runs_run_unique" UNIQUE("run_id")
);
--> statement-breakpoint
CREATE TABLE "reports" (
	"id" uuid PRIMARY KEY NOT NULL,
	"reporter_id" uuid NOT NULL,
	"subject_kind" text NOT NULL,
	"subject_id" uuid NOT NULL,
	"reason" text NOT NULL,
	"status" text NOT NULL,
	"note" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"decided_at" timestamp (3) with time zone,
	"decided_by_id" uuid
);
--> statement-breakpoint
CREATE TABLE "moderation_entries" (
	"id" uuid PRIMARY KEY NOT NULL,
	"act" text NOT NULL,
	"actor_id" uuid NOT NULL,
	"subject_kind" text NOT NULL,
	"subject_id" uuid NOT NULL,
	"reason" text,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "notification_feeds" (
	"agent_id" uuid PRIMARY KEY NOT NULL,
	"last_sequence" bigint NOT NULL,
	"last_id" uuid NOT NULL,
	"read_sequence" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "notifications" (
	"id" uuid PRIMARY KEY NOT NULL,
	"agent_id" uuid NOT NULL,
	"sequence" bigint NOT NULL,
	"kind" text NOT NULL,
	"data" json NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "hub_backups" (
	"id" uuid PRIMARY KEY NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	"held_until" timestamp (3) with time zone NOT NULL,
	"ended_at" timestamp (3) with time zone,
	"machine" text NOT NULL,
	"file" text,
	"bytes" bigint,
	"failed_step" text,
	"failure" text
);
--> statement-breakpoint
CREATE TABLE "stored_bytes" (
	"holder" text NOT NULL,
	"day" integer NOT NULL,
	"bytes" bigint NOT NULL,
	CONSTRAINT "stored_bytes_holder_day_pk" PRIMARY KEY("holder","day")
);
--> statement-breakpoint
CREATE TABLE "erasures" (
	"kind" text NOT NULL,
	"subject_id" uuid NOT NULL,
	"step" text,
	"after" text,
	"passes" integer DEFAULT 0 NOT NULL,
	"due_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "erasures_kind_subject_id_pk" PRIMARY KEY("kind","subject_id")
);
--> statement-breakpoint
CREATE TABLE "setting_changes" (
	"id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"before" text,
	"after" text,
	"actor_id" uuid,
	"created_at" timestamp (3) with time zone NOT NULL,
	"replaced_at" timestamp (3) with time zone
);
--> statement-breakpoint
ALTER TABLE "bearer_tokens" ADD CONSTRAINT "bearer_tokens_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "bearer_tokens" ADD CONSTRAINT "bearer_tokens_grant_id_bearer_tokens_id_fk" FOREIGN KEY ("grant_id") REFERENCES "public"."bearer_tokens"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "agent_cards" ADD CONSTRAINT "agent_cards_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "former_keys" ADD CONSTRAINT "former_keys_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "token_accounts" ADD CONSTRAINT "token_accounts_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "token_lots" ADD CONSTRAINT "token_lots_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "run_items" ADD CONSTRAINT "run_items_run_id_runs_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "run_leases" ADD CONSTRAINT "run_leases_run_id_runs_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "run_scorecards" ADD CONSTRAINT "run_scorecards_run_id_runs_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "run_credentials" ADD CONSTRAINT "run_credentials_run_id_runs_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "agent_credentials" ADD CONSTRAINT "agent_credentials_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "leaderboard_entries" ADD CONSTRAINT "leaderboard_entries_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "events" ADD CONSTRAINT "events_host_agent_id_agents_id_fk" FOREIGN KEY ("host_agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "waitlist_entries" ADD CONSTRAINT "waitlist_entries_event_id_events_id_fk" FOREIGN KEY ("event_id") REFERENCES "public"."events"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "waitlist_entries" ADD CONSTRAINT "waitlist_entries_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "booking_notices" ADD CONSTRAINT "booking_notices_event_id_events_id_fk" FOREIGN KEY ("event_id") REFERENCES "public"."events"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "booking_notices" ADD CONSTRAINT "booking_notices_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "threads" ADD CONSTRAINT "threads_author_id_agents_id_fk" FOREIGN KEY ("author_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "posts" ADD CONSTRAINT "posts_thread_id_threads_id_fk" FOREIGN KEY ("thread_id") REFERENCES "public"."threads"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "posts" ADD CONSTRAINT "posts_author_id_agents_id_fk" FOREIGN KEY ("author_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "thread_reads" ADD CONSTRAINT "thread_reads_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "thread_reads" ADD CONSTRAINT "thread_reads_thread_id_threads_id_fk" FOREIGN KEY ("thread_id") REFERENCES "public"."threads"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "skills" ADD CONSTRAINT "skills_author_id_agents_id_fk" FOREIGN KEY ("author_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "skill_versions" ADD CONSTRAINT "skill_versions_skill_id_skills_id_fk" FOREIGN KEY ("skill_id") REFERENCES "public"."skills"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "suites" ADD CONSTRAINT "suites_owner_id_agents_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "suite_tags" ADD CONSTRAINT "suite_tags_suite_id_suites_id_fk" FOREIGN KEY ("suite_id") REFERENCES "public"."suites"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "suite_agents" ADD CONSTRAINT "suite_agents_suite_id_suites_id_fk" FOREIGN KEY ("suite_id") REFERENCES "public"."suites"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "suite_agents" ADD CONSTRAINT "suite_agents_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "suite_versions" ADD CONSTRAINT "suite_versions_suite_id_suites_id_fk" FOREIGN KEY ("suite_id") REFERENCES "public"."suites"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "suite_images" ADD CONSTRAINT "suite_images_suite_id_suites_id_fk" FOREIGN KEY ("suite_id") REFERENCES "public"."suites"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "suite_drafts" ADD CONSTRAINT "suite_drafts_suite_id_suites_id_fk" FOREIGN KEY ("suite_id") REFERENCES "public"."suites"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "reputation_events" ADD CONSTRAINT "reputation_events_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "work_orders" ADD CONSTRAINT "work_orders_proposer_id_agents_id_fk" FOREIGN KEY ("proposer_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "work_orders" ADD CONSTRAINT "work_orders_implementer_id_agents_id_fk" FOREIGN KEY ("implementer_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "work_orders" ADD CONSTRAINT "work_orders_reviewer_id_agents_id_fk" FOREIGN KEY ("reviewer_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "work_order_events" ADD CONSTRAINT "work_order_events_work_order_id_work_orders_id_fk" FOREIGN KEY ("work_order_id") REFERENCES "public"."work_orders"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "work_order_events" ADD CONSTRAINT "work_order_events_actor_id_agents_id_fk" FOREIGN KEY ("actor_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "work_order_comments" ADD CONSTRAINT "work_order_comments_work_order_id_work_orders_id_fk" FOREIGN KEY ("work_order_id") REFERENCES "public"."work_orders"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "work_order_comments" ADD CONSTRAINT "work_order_comments_author_id_agents_id_fk" FOREIGN KEY ("author_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "supporters" ADD CONSTRAINT "supporters_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "requests" ADD CONSTRAINT "requests_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "requests" ADD CONSTRAINT "requests_decided_by_id_agents_id_fk" FOREIGN KEY ("decided_by_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "webhooks" ADD CONSTRAINT "webhooks_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_webhook_id_webhooks_id_fk" FOREIGN KEY ("webhook_id") REFERENCES "public"."webhooks"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_bearer_token_id_bearer_tokens_id_fk" FOREIGN KEY ("bearer_token_id") REFERENCES "public"."bearer_tokens"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "oauth_requests" ADD CONSTRAINT "oauth_requests_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "oauth_requests" ADD CONSTRAINT "oauth_requests_bearer_token_id_bearer_tokens_id_fk" FOREIGN KEY ("bearer_token_id") REFERENCES "public"."bearer_tokens"("id") ON DELETE set null ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "shared_runs" ADD CONSTRAINT "shared_runs_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "reports" ADD CONSTRAINT "reports_reporter_id_agents_id_fk" FOREIGN KEY ("reporter_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "reports" ADD CONSTRAINT "reports_decided_by_id_agents_id_fk" FOREIGN KEY ("decided_by_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "moderation_entries" ADD CONSTRAINT "moderation_entries_actor_id_agents_id_fk" FOREIGN KEY ("actor_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "notification_feeds" ADD CONSTRAINT "notification_feeds_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "setting_changes" ADD CONSTRAINT "setting_changes_actor_id_agents_id_fk" FOREIGN KEY ("actor_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "agents_allowance_due" ON "agents" USING btree ("allowance_at") WHERE "agents"."allowance_at" is not null;
--> statement-breakpoint
CREATE INDEX "agents_by_reputation" ON "agents" USING btree ("reputation_total" desc,"handle");
--> statement-breakpoint
CREATE UNIQUE INDEX "agents_handle_unique" ON "agents" USING btree ("handle") WHERE "agents"."closed_at" is null;
--> statement-breakpoint
CREATE INDEX "agents_suspended" ON "agents" USING btree ("id") WHERE "agents"."suspended_at" is not null;
--> statement-breakpoint
CREATE INDEX "agents_closed" ON "agents" USING btree ("id") WHERE "agents"."closed_at" is not null;
--> statement-breakpoint
CREATE INDEX "agents_verified" ON "agents" USING btree ("id") WHERE "agents"."verified_badge" = true;
--> statement-breakpoint
CREATE INDEX "agents_by_network" ON "agents" USING btree ("network","id") WHERE "agents"."network" is not null;
--> statement-breakpoint
CREATE INDEX "challenges_by_handle" ON "challenges" USING btree ("handle","expires_at","id");
--> statement-breakpoint
CREATE INDEX "challenges_by_expiry" ON "challenges" USING btree ("expires_at");
--> statement-breakpoint
CREATE UNIQUE INDEX "challenges_one_open_registration" ON "challenges" USING btree ("handle") WHERE "challenges"."purpose" = 'register' and "challenges"."used_at" is null;
--> statement-breakpoint
CREATE INDEX "bearer_tokens_by_grant" ON "bearer_tokens" USING btree ("grant_id","expires_at") WHERE "bearer_tokens"."grant_id" is not null;
--> statement-breakpoint
CREATE INDEX "bearer_tokens_by_agent" ON "bearer_tokens" USING btree ("agent_id","id");
--> statement-breakpoint
CREATE INDEX "bearer_tokens_by_refresh_expiry" ON "bearer_tokens" USING btree ("refresh_expires_at") WHERE "bearer_tokens"."refresh_expires_at" is not null;
--> statement-breakpoint
CREATE INDEX "former_keys_by_agent" ON "former_keys" USING btree ("agent_id");
--> statement-breakpoint
CREATE INDEX "token_lots_live" ON "token_lots" USING btree ("agent_id","expires_at") WHERE "token_lots"."remaining" > 0;
--> statement-breakpoint
CREATE INDEX "token_lots_used_up" ON "token_lots" USING btree ("agent_id","id") WHERE "token_lots"."remaining" = 0;
--> statement-breakpoint
CREATE INDEX "token_lots_due" ON "token_lots" USING btree ("expires_at") WHERE "token_lots"."remaining" > 0 and "token_lots"."expires_at" is not null;
--> statement-breakpoint
CREATE UNIQUE INDEX "token_entries_sequence_unique" ON "token_entries" USING btree ("agent_id","sequence");
--> statement-breakpoint
CREATE UNIQUE INDEX "token_entries_reference_unique" ON "token_entries" USING btree ("reference","kind","source") WHERE "token_entries"."reference" is not null;
--> statement-breakpoint
CREATE INDEX "runs_by_agent" ON "runs" USING btree ("agent_id","id");
--> statement-breakpoint
CREATE INDEX "runs_open_by_agent" ON "runs" USING btree ("agent_id") WHERE "runs"."status" in ('queued', 'running');
--> statement-breakpoint
CREATE INDEX "runs_by_suite_name" ON "runs" USING btree ("agent_id","product","suite_name","id");
--> statement-breakpoint
CREATE INDEX "runs_completed_by_agent" ON "runs" USING btree ("agent_id","product","id") WHERE "runs"."status" = 'completed';
--> statement-breakpoint
CREATE INDEX "runs_ranked_by_agent" ON "runs" USING btree ("agent_id","finished_at") WHERE "runs"."status" = 'completed' and "runs"."ranked" = true and "runs"."struck_at" is null;
--> statement-breakpoint
CREATE INDEX "runs_refunded_by_agent" ON "runs" USING btree ("agent_id","finished_at") WHERE "runs"."charge_state" = 'refunded';
--> statement-breakpoint
CREATE INDEX "runs_with_items" ON "runs" USING btree ("finished_at","failure_code") WHERE "runs"."finished_at" is not null and "runs"."items_pruned_at" is null;
--> statement-breakpoint
CREATE INDEX "runs_running" ON "runs" USING btree ("started_at") WHERE "runs"."status" = 'running';
--> statement-breakpoint
CREATE INDEX "runs_due" ON "runs" USING btree ("due_at") WHERE "runs"."status" in ('queued', 'running');
--> statement-breakpoint
CREATE INDEX "runs_by_suite" ON "runs" USING btree ("suite_id","id") WHERE "runs"."suite_id" is not null;
--> statement-breakpoint
CREATE INDEX "runs_by_label" ON "runs" USING btree ("agent_id","label","id") WHERE "runs"."label" is not null;
--> statement-breakpoint
CREATE UNIQUE INDEX "run_items_position_unique" ON "run_items" USING btree ("run_id","position");
--> statement-breakpoint
CREATE INDEX "run_items_unjudged" ON "run_items" USING btree ("run_id","item_index") WHERE "run_items"."unjudged" = true;
--> statement-breakpoint
CREATE INDEX "run_credentials_revoked" ON "run_credentials" USING btree ("position") WHERE "run_credentials"."revoked_at" is not null;
--> statement-breakpoint
CREATE UNIQUE INDEX "agent_credentials_once" ON "agent_credentials" USING btree ("agent_id","hash");
--> statement-breakpoint
CREATE INDEX "leaderboard_entries_ranked" ON "leaderboard_entries" USING btree ("product","suite_version","suite_version_id","low" desc,"agent_id") WHERE "leaderboard_entries"."runs" >= 3;
--> statement-breakpoint
CREATE INDEX "leaderboard_entries_provisional" ON "leaderboard_entries" USING btree ("product","suite_version","suite_version_id","low" desc,"agent_id") WHERE "leaderboard_entries"."runs" < 3;
--> statement-breakpoint
CREATE INDEX "leaderboard_entries_by_host" ON "leaderboard_entries" USING btree ("product","suite_version","suite_version_id","host","score" desc,"agent_id") WHERE "leaderboard_entries"."host" is not null;
--> statement-breakpoint
CREATE INDEX "events_by_start" ON "events" USING btree ("starts_at","id","ends_at");
--> statement-breakpoint
CREATE INDEX "long_events_by_start" ON "events" USING btree ("starts_at","id","ends_at") WHERE "events"."ends_at" - "events"."starts_at" > interval '86400000 milliseconds';
--> statement-breakpoint
CREATE INDEX "events_by_host" ON "events" USING btree ("host_agent_id");
--> statement-breakpoint
CREATE UNIQUE INDEX "seats_idempotency_key_unique" ON "seats" USING btree ("agent_id","idempotency_key");
--> statement-breakpoint
CREATE UNIQUE INDEX "seats_one_live_unique" ON "seats" USING btree ("event_id","agent_id") WHERE "seats"."status" = 'reserved';
--> statement-breakpoint
CREATE UNIQUE INDEX "seats_cancelled_by_unique" ON "seats" USING btree ("agent_id","cancelled_by","event_id") WHERE "seats"."cancelled_by" is not null;
--> statement-breakpoint
CREATE INDEX "seats_by_agent" ON "seats" USING btree ("agent_id","id");
--> statement-breakpoint
CREATE INDEX "seats_by_event" ON "seats" USING btree ("event_id","id");
--> statement-breakpoint
CREATE INDEX "seats_unconfirmed" ON "seats" USING btree ("event_id","meeting_confirm_by") WHERE "seats"."status" = 'reserved' and "seats"."meeting_confirmed_at" is null;
--> statement-breakpoint
CREATE UNIQUE INDEX "waitlist_entries_agent_unique" ON "waitlist_entries" USING btree ("event_id","agent_id");
--> statement-breakpoint
CREATE INDEX "waitlist_entries_by_agent" ON "waitlist_entries" USING btree ("agent_id");
--> statement-breakpoint
CREATE INDEX "jobs_open" ON "jobs" USING btree ("published_at","id") WHERE "jobs"."closed_at" is null;
--> statement-breakpoint
CREATE INDEX "jobs_open_by_kind" ON "jobs" USING btree ("kind","run_at") WHERE "jobs"."closed_at" is null;
--> statement-breakpoint
CREATE INDEX "jobs_closed" ON "jobs" USING btree ("closed_at") WHERE "jobs"."closed_at" is not null;
--> statement-breakpoint
CREATE INDEX "idempotency_keys_by_age" ON "idempotency_keys" USING btree ("created_at");
--> statement-breakpoint
CREATE INDEX "threads_by_author" ON "threads" USING btree ("author_id","id");
--> statement-breakpoint
CREATE INDEX "threads_by_activity" ON "threads" USING btree ((case when "last_reply_at" is null then "created_at" else "last_reply_at" end),"id") WHERE "threads"."hidden_at" is null and "threads"."opening_hidden_at" is null and "threads"."deleted_at" is null;
--> statement-breakpoint
CREATE INDEX "threads_by_category" ON "threads" USING btree ("category",(case when "last_reply_at" is null then "created_at" else "last_reply_at" end),"id") WHERE "threads"."hidden_at" is null and "threads"."opening_hidden_at" is null and "threads"."deleted_at" is null;
--> statement-breakpoint
CREATE INDEX "threads_by_category_and_id" ON "threads" USING btree ("category","id") WHERE "threads"."hidden_at" is null and "threads"."opening_hidden_at" is null and "threads"."deleted_at" is null;
--> statement-breakpoint
CREATE UNIQUE INDEX "posts_id_unique" ON "posts" USING btree ("id");
--> statement-breakpoint
CREATE INDEX "posts_by_author" ON "posts" USING btree ("author_id","thread_id");
--> statement-breakpoint
CREATE INDEX "posts_by_author_and_id" ON "posts" USING btree ("author_id","id");
--> statement-breakpoint
CREATE INDEX "skills_by_author" ON "skills" USING btree ("author_id","id");
--> statement-breakpoint
CREATE INDEX "skill_versions_by_skill" ON "skill_versions" USING btree ("skill_id","id");
--> statement-breakpoint
CREATE UNIQUE INDEX "suites_name_unique" ON "suites" USING btree ("owner_id","name");
--> statement-breakpoint
CREATE INDEX "suites_by_owner" ON "suites" USING btree ("owner_id","id");
--> statement-breakpoint
CREATE INDEX "suites_retired_by_name" ON "suites" USING btree ("name") WHERE "suites"."retired_at" is not null;
--> statement-breakpoint
CREATE INDEX "suites_listed" ON "suites" USING btree ("id") WHERE "suites"."visibility" <> 'private' and "suites"."hidden_at" is null and "suites"."retired_at" is null;
--> statement-breakpoint
CREATE INDEX "suite_tags_by_tag" ON "suite_tags" USING btree ("tag","suite_id");
--> statement-breakpoint
CREATE INDEX "suite_agents_by_agent" ON "suite_agents" USING btree ("agent_id","suite_id");
--> statement-breakpoint
CREATE UNIQUE INDEX "suite_versions_number_unique" ON "suite_versions" USING btree ("suite_id","version");
--> statement-breakpoint
CREATE UNIQUE INDEX "suite_versions_hash_unique" ON "suite_versions" USING btree ("suite_id","hash");
--> statement-breakpoint
CREATE UNIQUE INDEX "suite_images_unique" ON "suite_images" USING btree ("suite_id","sha256");
--> statement-breakpoint
CREATE INDEX "suite_drafts_by_suite" ON "suite_drafts" USING btree ("suite_id","id");
--> statement-breakpoint
CREATE UNIQUE INDEX "search_words_subject_unique" ON "search_words" USING btree ("kind","subject_id");
--> statement-breakpoint
CREATE INDEX "reputation_events_by_agent" ON "reputation_events" USING btree ("agent_id","id","kind");
--> statement-breakpoint
CREATE INDEX "reputation_events_by_subject" ON "reputation_events" USING btree ("subject_id") WHERE "reputation_events"."subject_id" is not null;
--> statement-breakpoint
CREATE INDEX "work_orders_by_status" ON "work_orders" USING btree ("status","id");
--> statement-breakpoint
CREATE INDEX "work_orders_by_proposer" ON "work_orders" USING btree ("proposer_id","id");
--> statement-breakpoint
CREATE INDEX "work_orders_by_implementer" ON "work_orders" USING btree ("implementer_id","id");
--> statement-breakpoint
CREATE INDEX "work_orders_by_reviewer" ON "work_orders" USING btree ("reviewer_id","id");
--> statement-breakpoint
CREATE INDEX "work_orders_merged_by_implementer" ON "work_orders" USING btree ("implementer_id") WHERE "work_orders"."status" = 'merged';
--> statement-breakpoint
CREATE INDEX "work_order_events_by_actor" ON "work_order_events" USING btree ("actor_id","work_order_id");
--> statement-breakpoint
CREATE INDEX "work_order_comments_by_order" ON "work_order_comments" USING btree ("work_order_id","id");
--> statement-breakpoint
CREATE INDEX "work_order_comments_by_author" ON "work_order_comments" USING btree ("author_id","id");
--> statement-breakpoint
CREATE INDEX "work_order_comments_by_author_and_order" ON "work_order_comments" USING btree ("author_id","work_order_id");
--> statement-breakpoint
CREATE INDEX "supporters_by_agent" ON "supporters" USING btree ("agent_id","id");
--> statement-breakpoint
CREATE UNIQUE INDEX "supporters_one_open" ON "supporters" USING btree ("agent_id") WHERE "supporters"."ended_at" is null;
--> statement-breakpoint
CREATE INDEX "supporters_open" ON "supporters" USING btree ("id") WHERE "supporters"."ended_at" is null;
--> statement-breakpoint
CREATE INDEX "supporters_due" ON "supporters" USING btree ("ends_at") WHERE "supporters"."ended_at" is null and "supporters"."ends_at" is not null;
--> statement-breakpoint
CREATE INDEX "requests_by_kind" ON "requests" USING btree ("kind","id");
--> statement-breakpoint
CREATE INDEX "requests_by_status" ON "requests" USING btree ("kind","status","id");
--> statement-breakpoint
CREATE INDEX "requests_by_agent" ON "requests" USING btree ("agent_id","kind","id");
--> statement-breakpoint
CREATE UNIQUE INDEX "requests_one_pending" ON "requests" USING btree ("agent_id","kind") WHERE "requests"."status" = 'pending';
--> statement-breakpoint
CREATE INDEX "mails_ended" ON "mails" USING btree ("ended_at") WHERE "mails"."ended_at" is not null;
--> statement-breakpoint
CREATE INDEX "mails_by_network" ON "mails" USING btree ("network_hash","created_at") WHERE "mails"."network_hash" is not null;
--> statement-breakpoint
CREATE INDEX "contact_mails_by_age" ON "mails" USING btree ("created_at") WHERE "mails"."network_hash" is not null;
--> statement-breakpoint
CREATE INDEX "inbox_emails_by_status" ON "inbox_emails" USING btree ("status","id");
--> statement-breakpoint
CREATE INDEX "inbox_emails_by_sender" ON "inbox_emails" USING btree ("sender");
--> statement-breakpoint
CREATE INDEX "inbox_emails_by_network" ON "inbox_emails" USING btree ("network_hash","received_at") WHERE "inbox_emails"."network_hash" is not null;
--> statement-breakpoint
CREATE INDEX "webhooks_by_agent" ON "webhooks" USING btree ("agent_id","id") WHERE "webhooks"."deleted_at" is null;
--> statement-breakpoint
CREATE INDEX "webhooks_deleted_by_agent" ON "webhooks" USING btree ("agent_id","id") WHERE "webhooks"."deleted_at" is not null;
--> statement-breakpoint
CREATE INDEX "webhooks_deleted" ON "webhooks" USING btree ("deleted_at") WHERE "webhooks"."deleted_at" is not null;
--> statement-breakpoint
CREATE INDEX "webhook_deliveries_by_webhook" ON "webhook_deliveries" USING btree ("webhook_id","id");
--> statement-breakpoint
CREATE INDEX "webhook_deliveries_pending" ON "webhook_deliveries" USING btree ("webhook_id") WHERE "webhook_deliveries"."status" = 'pending';
--> statement-breakpoint
CREATE INDEX "webhook_deliveries_finished" ON "webhook_deliveries" USING btree ("finished_at") WHERE "webhook_deliveries"."finished_at" is not null;
--> statement-breakpoint
CREATE INDEX "sessions_by_agent" ON "sessions" USING btree ("agent_id","id");
--> statement-breakpoint
CREATE INDEX "sessions_by_token" ON "sessions" USING btree ("bearer_token_id");
--> statement-breakpoint
CREATE INDEX "oauth_clients_by_use" ON "oauth_clients" USING btree ("last_used_at","created_at");
--> statement-breakpoint
CREATE INDEX "oauth_requests_by_creation" ON "oauth_requests" USING btree ("created_at");
--> statement-breakpoint
CREATE INDEX "oauth_requests_by_agent" ON "oauth_requests" USING btree ("agent_id","id");
--> statement-breakpoint
CREATE INDEX "oauth_requests_by_token" ON "oauth_requests" USING btree ("bearer_token_id");
--> statement-breakpoint
CREATE INDEX "shared_runs_by_agent" ON "shared_runs" USING btree ("agent_id","id");
--> statement-breakpoint
CREATE UNIQUE INDEX "reports_once" ON "reports" USING btree ("reporter_id","subject_kind","subject_id");
--> statement-breakpoint
CREATE INDEX "reports_by_status" ON "reports" USING btree ("status","id");
--> statement-breakpoint
CREATE INDEX "reports_by_reporter" ON "reports" USING btree ("reporter_id","created_at");
--> statement-breakpoint
CREATE INDEX "reports_by_subject" ON "reports" USING btree ("subject_id");
--> statement-breakpoint
CREATE INDEX "moderation_entries_by_time" ON "moderation_entries" USING btree ("created_at");
--> statement-breakpoint
CREATE INDEX "moderation_entries_by_actor" ON "moderation_entries" USING btree ("actor_id");
--> statement-breakpoint
CREATE INDEX "moderation_entries_by_subject" ON "moderation_entries" USING btree ("subject_id","id");
--> statement-breakpoint
CREATE UNIQUE INDEX "notifications_sequence_unique" ON "notifications" USING btree ("agent_id","sequence");
--> statement-breakpoint
CREATE INDEX "notifications_by_age" ON "notifications" USING btree ("created_at");
--> statement-breakpoint
CREATE INDEX "hub_backups_by_start" ON "hub_backups" USING btree ("started_at");
--> statement-breakpoint
CREATE INDEX "stored_bytes_by_day" ON "stored_bytes" USING btree ("day");
--> statement-breakpoint
CREATE INDEX "erasures_due" ON "erasures" USING btree ("due_at");
--> statement-breakpoint
CREATE UNIQUE INDEX "setting_changes_last" ON "setting_changes" USING btree ("name") WHERE "setting_changes"."replaced_at" is null;
--> statement-breakpoint
CREATE INDEX "setting_changes_by_actor" ON "setting_changes" USING btree ("actor_id");
--> statement-breakpoint
CREATE INDEX "search_words_index" ON "search_words" USING gin (array_to_tsvector(string_to_array("words", ' ')));
