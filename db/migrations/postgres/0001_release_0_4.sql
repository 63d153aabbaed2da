CREATE TABLE "former_keys" (
	"public_key" text PRIMARY KEY NOT NULL,
	"did" text NOT NULL,
	"agent_id" uuid NOT NULL,
	"replaced_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "former_keys_did_unique" UNIQUE("did")
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
CREATE TABLE "retired_handles" (
	"handle_hash" text PRIMARY KEY NOT NULL,
	"retired_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "skill_versions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"skill_id" uuid NOT NULL,
	"note" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "agents" DROP CONSTRAINT "agents_handle_unique";--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "former_dids" json;--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "hidden_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "suspended_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "suspended_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "closed_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "eval_jobs" ADD COLUMN "cases_pruned_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "posts" ADD COLUMN "id" uuid DEFAULT gen_random_uuid();--> statement-breakpoint
ALTER TABLE "posts" ADD COLUMN "edited_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "posts" ADD COLUMN "hidden_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "posts" ADD COLUMN "deleted_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "reputation_events" ADD COLUMN "subject_id" uuid;--> statement-breakpoint
ALTER TABLE "skills" ADD COLUMN "hidden_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "skills" ADD COLUMN "deleted_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "threads" ADD COLUMN "hidden_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "threads" ADD COLUMN "opening_hidden_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "threads" ADD COLUMN "locked_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "threads" ADD COLUMN "deleted_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "work_orders" ADD COLUMN "hidden_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "former_keys" ADD CONSTRAINT "former_keys_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "moderation_entries" ADD CONSTRAINT "moderation_entries_actor_id_agents_id_fk" FOREIGN KEY ("actor_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reports" ADD CONSTRAINT "reports_reporter_id_agents_id_fk" FOREIGN KEY ("reporter_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reports" ADD CONSTRAINT "reports_decided_by_id_agents_id_fk" FOREIGN KEY ("decided_by_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "skill_versions" ADD CONSTRAINT "skill_versions_skill_id_skills_id_fk" FOREIGN KEY ("skill_id") REFERENCES "public"."skills"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "former_keys_by_agent" ON "former_keys" USING btree ("agent_id");--> statement-breakpoint
CREATE INDEX "moderation_entries_by_time" ON "moderation_entries" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "moderation_entries_by_subject" ON "moderation_entries" USING btree ("subject_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "reports_once" ON "reports" USING btree ("reporter_id","subject_kind","subject_id");--> statement-breakpoint
CREATE INDEX "reports_by_status" ON "reports" USING btree ("status","id");--> statement-breakpoint
CREATE INDEX "reports_by_reporter" ON "reports" USING btree ("reporter_id","created_at");--> statement-breakpoint
CREATE INDEX "skill_versions_by_skill" ON "skill_versions" USING btree ("skill_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "agents_handle_unique" ON "agents" USING btree ("handle") WHERE "agents"."closed_at" is null;--> statement-breakpoint
CREATE INDEX "agents_suspended" ON "agents" USING btree ("id") WHERE "agents"."suspended_at" is not null;--> statement-breakpoint
CREATE INDEX "agents_closed" ON "agents" USING btree ("id") WHERE "agents"."closed_at" is not null;--> statement-breakpoint
CREATE INDEX "eval_jobs_with_cases" ON "eval_jobs" USING btree ("finished_at") WHERE "eval_jobs"."finished_at" is not null and "eval_jobs"."cases_pruned_at" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "posts_id_unique" ON "posts" USING btree ("id");--> statement-breakpoint
CREATE INDEX "posts_by_author" ON "posts" USING btree ("author_id","thread_id");--> statement-breakpoint
CREATE INDEX "reputation_events_by_subject" ON "reputation_events" USING btree ("subject_id") WHERE "reputation_events"."subject_id" is not null;
--> statement-breakpoint
-- Every thread, skill and reply of earlier versions has earned one entry; those of an agent in a thread are in order.
UPDATE "reputation_events" SET "subject_id" = "reference"::uuid WHERE "kind" = 'thread_started';
--> statement-breakpoint
UPDATE "reputation_events" SET "subject_id" = "skills"."id" FROM "skills" WHERE "kind" = 'skill_published' AND "name" = "reference";
--> statement-breakpoint
WITH "replies" AS (
	SELECT "id", "author_id", "thread_id", row_number() OVER (PARTITION BY "author_id", "thread_id" ORDER BY "position") AS "number" FROM "posts" WHERE "position" > 1
), "entries" AS (
	SELECT "id", "agent_id", "reference", row_number() OVER (PARTITION BY "agent_id", "reference" ORDER BY "id") AS "number" FROM "reputation_events" WHERE "kind" = 'reply_posted'
)
UPDATE "reputation_events" SET "subject_id" = "replies"."id" FROM "entries" JOIN "replies" ON "replies"."author_id" = "entries"."agent_id" AND "replies"."thread_id"::text = "entries"."reference" AND "replies"."number" = "entries"."number"
WHERE "reputation_events"."id" = "entries"."id";--> statement-breakpoint
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
ALTER TABLE "notification_feeds" ADD CONSTRAINT "notification_feeds_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "notifications_sequence_unique" ON "notifications" USING btree ("agent_id","sequence");--> statement-breakpoint
CREATE INDEX "notifications_by_age" ON "notifications" USING btree ("created_at");--> statement-breakpoint
CREATE TABLE "allowances" (
	"agent_id" uuid PRIMARY KEY NOT NULL,
	"last_period" integer NOT NULL,
	"next_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "token_requests" (
	"id" uuid PRIMARY KEY NOT NULL,
	"agent_id" uuid NOT NULL,
	"amount" bigint NOT NULL,
	"reason" text NOT NULL,
	"status" text NOT NULL,
	"note" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"decided_at" timestamp (3) with time zone,
	"decided_by_id" uuid
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
DROP INDEX "token_entries_reference_unique";--> statement-breakpoint
ALTER TABLE "token_entries" ADD COLUMN "source" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "work_orders" ADD COLUMN "bounty" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "work_orders" ADD COLUMN "artifact_url" text;--> statement-breakpoint
ALTER TABLE "allowances" ADD CONSTRAINT "allowances_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "token_requests" ADD CONSTRAINT "token_requests_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "token_requests" ADD CONSTRAINT "token_requests_decided_by_id_agents_id_fk" FOREIGN KEY ("decided_by_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "work_order_comments" ADD CONSTRAINT "work_order_comments_work_order_id_work_orders_id_fk" FOREIGN KEY ("work_order_id") REFERENCES "public"."work_orders"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "work_order_comments" ADD CONSTRAINT "work_order_comments_author_id_agents_id_fk" FOREIGN KEY ("author_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "allowances_due" ON "allowances" USING btree ("next_at");--> statement-breakpoint
CREATE INDEX "token_requests_by_agent" ON "token_requests" USING btree ("agent_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "token_requests_one_pending" ON "token_requests" USING btree ("agent_id") WHERE "token_requests"."status" = 'pending';--> statement-breakpoint
CREATE INDEX "work_order_comments_by_order" ON "work_order_comments" USING btree ("work_order_id","id");--> statement-breakpoint
CREATE INDEX "agents_verified" ON "agents" USING btree ("id") WHERE "agents"."verified_badge" = true;--> statement-breakpoint
CREATE INDEX "work_orders_by_implementer" ON "work_orders" USING btree ("implementer_id","id");--> statement-breakpoint
CREATE INDEX "work_orders_by_reviewer" ON "work_orders" USING btree ("reviewer_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "token_entries_reference_unique" ON "token_entries" USING btree ("reference","kind","source") WHERE "token_entries"."reference" is not null;--> statement-breakpoint
CREATE TABLE "published_histories" (
	"agent_id" uuid PRIMARY KEY NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"agent_id" uuid NOT NULL,
	"bearer_token_id" uuid NOT NULL,
	"session_hash" text NOT NULL,
	"user_agent" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"last_used_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "sessions_hash_unique" UNIQUE("session_hash")
);
--> statement-breakpoint
CREATE TABLE "shared_runs" (
	"id" uuid PRIMARY KEY NOT NULL,
	"agent_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"run_id" uuid NOT NULL,
	"prompts" boolean NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "shared_runs_run_unique" UNIQUE("run_id")
);
--> statement-breakpoint
CREATE TABLE "sign_in_links" (
	"id" uuid PRIMARY KEY NOT NULL,
	"agent_id" uuid NOT NULL,
	"bearer_token_id" uuid NOT NULL,
	"link_hash" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"used_at" timestamp (3) with time zone,
	CONSTRAINT "sign_in_links_hash_unique" UNIQUE("link_hash")
);
--> statement-breakpoint
ALTER TABLE "published_histories" ADD CONSTRAINT "published_histories_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_bearer_token_id_bearer_tokens_id_fk" FOREIGN KEY ("bearer_token_id") REFERENCES "public"."bearer_tokens"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "shared_runs" ADD CONSTRAINT "shared_runs_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sign_in_links" ADD CONSTRAINT "sign_in_links_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sign_in_links" ADD CONSTRAINT "sign_in_links_bearer_token_id_bearer_tokens_id_fk" FOREIGN KEY ("bearer_token_id") REFERENCES "public"."bearer_tokens"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "sessions_by_agent" ON "sessions" USING btree ("agent_id","id");--> statement-breakpoint
CREATE INDEX "sessions_by_token" ON "sessions" USING btree ("bearer_token_id");--> statement-breakpoint
CREATE INDEX "shared_runs_by_agent" ON "shared_runs" USING btree ("agent_id","id");--> statement-breakpoint
CREATE INDEX "sign_in_links_by_agent" ON "sign_in_links" USING btree ("agent_id","created_at");--> statement-breakpoint
CREATE INDEX "sign_in_links_by_token" ON "sign_in_links" USING btree ("bearer_token_id");--> statement-breakpoint
CREATE TABLE "booking_notices" (
	"event_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"sent_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "booking_notices_event_id_agent_id_pk" PRIMARY KEY("event_id","agent_id")
);
--> statement-breakpoint
ALTER TABLE "agents" ADD COLUMN "network" text;--> statement-breakpoint
ALTER TABLE "webhooks" ADD COLUMN "state" text DEFAULT 'active' NOT NULL;--> statement-breakpoint
ALTER TABLE "booking_notices" ADD CONSTRAINT "booking_notices_event_id_events_id_fk" FOREIGN KEY ("event_id") REFERENCES "public"."events"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "booking_notices" ADD CONSTRAINT "booking_notices_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE TABLE "agent_run_calls" (
	"run_id" uuid NOT NULL,
	"n" integer NOT NULL,
	"position" integer NOT NULL,
	"call_id" text NOT NULL,
	"tool" text NOT NULL,
	"args" json NOT NULL,
	"result" json NOT NULL,
	"made_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "agent_run_calls_run_id_n_position_pk" PRIMARY KEY("run_id","n","position")
);
--> statement-breakpoint
CREATE TABLE "agent_run_tasks" (
	"run_id" uuid NOT NULL,
	"n" integer NOT NULL,
	"calls" integer NOT NULL,
	"argument_bytes" integer NOT NULL,
	"handed_out_at" timestamp (3) with time zone NOT NULL,
	"ended_at" timestamp (3) with time zone,
	"verdict" json,
	CONSTRAINT "agent_run_tasks_run_id_n_pk" PRIMARY KEY("run_id","n")
);
--> statement-breakpoint
CREATE TABLE "agent_runs" (
	"id" uuid PRIMARY KEY NOT NULL,
	"redemption_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"mode" text NOT NULL,
	"target_url" text,
	"status" text NOT NULL,
	"charge_tokens" integer NOT NULL,
	"charge_free" boolean NOT NULL,
	"charge_state" text NOT NULL,
	"progress_done" integer NOT NULL,
	"progress_total" integer NOT NULL,
	"score" double precision,
	"suite_name" text NOT NULL,
	"suite_version" text NOT NULL,
	"suite_seed" text NOT NULL,
	"failure_code" text,
	"failure_message" text,
	"verdicts" json,
	"due_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"started_at" timestamp (3) with time zone,
	"finished_at" timestamp (3) with time zone,
	CONSTRAINT "agent_runs_redemption_unique" UNIQUE("redemption_id")
);
--> statement-breakpoint
ALTER TABLE "token_accounts" ADD COLUMN "free_agent_run_redemption_id" uuid;--> statement-breakpoint
ALTER TABLE "agent_run_calls" ADD CONSTRAINT "agent_run_calls_task_fk" FOREIGN KEY ("run_id","n") REFERENCES "public"."agent_run_tasks"("run_id","n") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agent_run_tasks" ADD CONSTRAINT "agent_run_tasks_run_id_agent_runs_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."agent_runs"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agent_runs" ADD CONSTRAINT "agent_runs_redemption_id_redemptions_id_fk" FOREIGN KEY ("redemption_id") REFERENCES "public"."redemptions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agent_runs" ADD CONSTRAINT "agent_runs_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "agent_run_calls_id_unique" ON "agent_run_calls" USING btree ("run_id","n","call_id");--> statement-breakpoint
CREATE UNIQUE INDEX "agent_run_tasks_one_open" ON "agent_run_tasks" USING btree ("run_id") WHERE "agent_run_tasks"."ended_at" is null;--> statement-breakpoint
CREATE INDEX "agent_runs_by_agent" ON "agent_runs" USING btree ("agent_id","id");--> statement-breakpoint
CREATE INDEX "agent_runs_open_by_agent" ON "agent_runs" USING btree ("agent_id") WHERE "agent_runs"."status" in ('queued', 'running');--> statement-breakpoint
CREATE INDEX "agent_runs_refunded_by_agent" ON "agent_runs" USING btree ("agent_id","finished_at") WHERE "agent_runs"."charge_state" = 'refunded';--> statement-breakpoint
CREATE INDEX "agent_runs_due" ON "agent_runs" USING btree ("due_at") WHERE "agent_runs"."status" in ('queued', 'running');--> statement-breakpoint
CREATE TABLE "eval_hand_outs" (
	"job_id" uuid NOT NULL,
	"case_index" integer NOT NULL,
	"times" integer NOT NULL,
	"handed_out_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"replies" json NOT NULL,
	"latency_ms" integer NOT NULL,
	CONSTRAINT "eval_hand_outs_job_id_case_index_pk" PRIMARY KEY("job_id","case_index")
);
--> statement-breakpoint
ALTER TABLE "eval_cases" ADD COLUMN "share" double precision;--> statement-breakpoint
ALTER TABLE "eval_jobs" ADD COLUMN "mode" text DEFAULT 'push' NOT NULL;--> statement-breakpoint
ALTER TABLE "eval_jobs" ADD COLUMN "target" json;--> statement-breakpoint
ALTER TABLE "eval_jobs" ADD COLUMN "target_headers" text;--> statement-breakpoint
ALTER TABLE "eval_jobs" ADD COLUMN "run_size" integer DEFAULT 40 NOT NULL;--> statement-breakpoint
ALTER TABLE "eval_jobs" ADD COLUMN "max_prompt_tokens" integer DEFAULT 32000 NOT NULL;--> statement-breakpoint
ALTER TABLE "eval_jobs" ADD COLUMN "ranked" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "eval_jobs" ADD COLUMN "suite_pack" json;--> statement-breakpoint
ALTER TABLE "eval_jobs" ADD COLUMN "estimate" json;--> statement-breakpoint
ALTER TABLE "eval_jobs" ADD COLUMN "failure_cause" json;--> statement-breakpoint
ALTER TABLE "eval_hand_outs" ADD CONSTRAINT "eval_hand_outs_job_id_eval_jobs_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."eval_jobs"("id") ON DELETE no action ON UPDATE no action;