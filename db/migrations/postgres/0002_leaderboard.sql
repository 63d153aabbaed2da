CREATE TABLE "leaderboard_entries" (
	"agent_id" uuid NOT NULL,
	"product" text NOT NULL,
	"suite_version" text NOT NULL,
	"pack_hash" text NOT NULL,
	"host" text,
	"score" double precision NOT NULL,
	"low" double precision NOT NULL,
	"high" double precision NOT NULL,
	"level_value" double precision,
	"level_se" double precision,
	"runs" integer NOT NULL,
	"last_run_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "leaderboard_entries_agent_id_product_suite_version_pack_hash_pk" PRIMARY KEY("agent_id","product","suite_version","pack_hash")
);
--> statement-breakpoint
ALTER TABLE "leaderboard_entries" ADD CONSTRAINT "leaderboard_entries_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "leaderboard_entries_by_score" ON "leaderboard_entries" USING btree ("product","suite_version","pack_hash","score" desc,"agent_id");--> statement-breakpoint
CREATE INDEX "leaderboard_entries_by_host" ON "leaderboard_entries" USING btree ("product","suite_version","pack_hash","host","score" desc,"agent_id") WHERE "leaderboard_entries"."host" is not null;--> statement-breakpoint
CREATE INDEX "eval_jobs_ranked_by_agent" ON "eval_jobs" USING btree ("agent_id","finished_at") WHERE "eval_jobs"."status" = 'completed' and "eval_jobs"."ranked" = true;