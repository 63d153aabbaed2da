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
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "agents_handle_unique" UNIQUE("handle"),
	CONSTRAINT "agents_public_key_unique" UNIQUE("public_key"),
	CONSTRAINT "agents_did_unique" UNIQUE("did")
);
--> statement-breakpoint
CREATE TABLE "bearer_tokens" (
	"id" uuid PRIMARY KEY NOT NULL,
	"agent_id" uuid NOT NULL,
	"token_hash" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"last_used_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone,
	CONSTRAINT "bearer_tokens_hash_unique" UNIQUE("token_hash")
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
	"used_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "eval_cases" (
	"job_id" uuid NOT NULL,
	"case_index" integer NOT NULL,
	"position" integer NOT NULL,
	"result" json NOT NULL,
	"finished_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "eval_cases_job_id_case_index_pk" PRIMARY KEY("job_id","case_index")
);
--> statement-breakpoint
CREATE TABLE "eval_jobs" (
	"id" uuid PRIMARY KEY NOT NULL,
	"redemption_id" uuid NOT NULL,
	"agent_id" uuid NOT NULL,
	"product" text NOT NULL,
	"target_url" text NOT NULL,
	"status" text NOT NULL,
	"charge_tokens" integer NOT NULL,
	"charge_free" boolean NOT NULL,
	"charge_state" text NOT NULL,
	"attempt" integer NOT NULL,
	"lease_until" timestamp (3) with time zone,
	"progress_done" integer NOT NULL,
	"progress_total" integer NOT NULL,
	"score" double precision,
	"suite_name" text NOT NULL,
	"suite_version" text NOT NULL,
	"suite_seed" text NOT NULL,
	"failure_code" text,
	"failure_message" text,
	"latency" json,
	"created_at" timestamp (3) with time zone NOT NULL,
	"started_at" timestamp (3) with time zone,
	"finished_at" timestamp (3) with time zone,
	CONSTRAINT "eval_jobs_redemption_unique" UNIQUE("redemption_id")
);
--> statement-breakpoint
CREATE TABLE "eval_scorecards" (
	"job_id" uuid PRIMARY KEY NOT NULL,
	"score_md" text NOT NULL,
	"score_html" text NOT NULL,
	"score_json" json NOT NULL
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
CREATE TABLE "jobs" (
	"id" uuid PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"payload" json NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"run_at" timestamp (3) with time zone NOT NULL,
	"published_at" timestamp (3) with time zone,
	"closed_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "redemptions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"agent_id" uuid NOT NULL,
	"product" text NOT NULL,
	"target_url" text NOT NULL,
	"cost" integer NOT NULL,
	"free" boolean NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "token_accounts" (
	"agent_id" uuid PRIMARY KEY NOT NULL,
	"balance" bigint NOT NULL,
	"last_sequence" bigint NOT NULL,
	"free_eval_redemption_id" uuid,
	CONSTRAINT "token_accounts_balance_not_negative" CHECK ("token_accounts"."balance" >= 0)
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
	"expires_at" timestamp (3) with time zone,
	"lots" json NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "token_entries_balance_not_negative" CHECK ("token_entries"."balance_after" >= 0)
);
--> statement-breakpoint
CREATE TABLE "token_lots" (
	"id" uuid PRIMARY KEY NOT NULL,
	"agent_id" uuid NOT NULL,
	"amount" bigint NOT NULL,
	"remaining" bigint NOT NULL,
	"expires_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "token_lots_remaining_in_range" CHECK ("token_lots"."remaining" >= 0 and "token_lots"."remaining" <= "token_lots"."amount")
);
--> statement-breakpoint
ALTER TABLE "bearer_tokens" ADD CONSTRAINT "bearer_tokens_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "eval_cases" ADD CONSTRAINT "eval_cases_job_id_eval_jobs_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."eval_jobs"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "eval_jobs" ADD CONSTRAINT "eval_jobs_redemption_id_redemptions_id_fk" FOREIGN KEY ("redemption_id") REFERENCES "public"."redemptions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "eval_jobs" ADD CONSTRAINT "eval_jobs_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "eval_scorecards" ADD CONSTRAINT "eval_scorecards_job_id_eval_jobs_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."eval_jobs"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "redemptions" ADD CONSTRAINT "redemptions_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "token_accounts" ADD CONSTRAINT "token_accounts_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "token_entries" ADD CONSTRAINT "token_entries_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "token_lots" ADD CONSTRAINT "token_lots_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "agents_by_reputation" ON "agents" USING btree ("reputation_total" desc,"handle");--> statement-breakpoint
CREATE INDEX "bearer_tokens_by_agent" ON "bearer_tokens" USING btree ("agent_id","id");--> statement-breakpoint
CREATE INDEX "challenges_by_handle" ON "challenges" USING btree ("handle","id");--> statement-breakpoint
CREATE INDEX "challenges_by_expiry" ON "challenges" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "challenges_one_open_registration" ON "challenges" USING btree ("handle") WHERE "challenges"."purpose" = 'register' and "challenges"."used_at" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "eval_cases_position_unique" ON "eval_cases" USING btree ("job_id","position");--> statement-breakpoint
CREATE INDEX "eval_jobs_by_agent" ON "eval_jobs" USING btree ("agent_id","id");--> statement-breakpoint
CREATE INDEX "eval_jobs_open_by_agent" ON "eval_jobs" USING btree ("agent_id") WHERE "eval_jobs"."status" in ('queued', 'running');--> statement-breakpoint
CREATE INDEX "eval_jobs_refunded_by_agent" ON "eval_jobs" USING btree ("agent_id","finished_at") WHERE "eval_jobs"."charge_state" = 'refunded';--> statement-breakpoint
CREATE INDEX "eval_jobs_running" ON "eval_jobs" USING btree ("started_at") WHERE "eval_jobs"."status" = 'running';--> statement-breakpoint
CREATE INDEX "idempotency_keys_by_age" ON "idempotency_keys" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "jobs_open" ON "jobs" USING btree ("published_at","id") WHERE "jobs"."closed_at" is null;--> statement-breakpoint
CREATE INDEX "jobs_closed" ON "jobs" USING btree ("closed_at") WHERE "jobs"."closed_at" is not null;--> statement-breakpoint
CREATE INDEX "redemptions_by_agent" ON "redemptions" USING btree ("agent_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "token_entries_sequence_unique" ON "token_entries" USING btree ("agent_id","sequence");--> statement-breakpoint
CREATE UNIQUE INDEX "token_entries_reference_unique" ON "token_entries" USING btree ("reference","kind") WHERE "token_entries"."reference" is not null;--> statement-breakpoint
CREATE INDEX "token_lots_live" ON "token_lots" USING btree ("agent_id","expires_at") WHERE "token_lots"."remaining" > 0;--> statement-breakpoint
CREATE INDEX "token_lots_due" ON "token_lots" USING btree ("expires_at") WHERE "token_lots"."remaining" > 0 and "token_lots"."expires_at" is not null;