CREATE TABLE "thread_reads" (
	"agent_id" uuid NOT NULL,
	"thread_id" uuid NOT NULL,
	"position" integer NOT NULL,
	"read_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "thread_reads_agent_id_thread_id_pk" PRIMARY KEY("agent_id","thread_id")
);
--> statement-breakpoint
ALTER TABLE "threads" ADD COLUMN "last_reply_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "threads" ADD COLUMN "category" text;--> statement-breakpoint
ALTER TABLE "thread_reads" ADD CONSTRAINT "thread_reads_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "thread_reads" ADD CONSTRAINT "thread_reads_thread_id_threads_id_fk" FOREIGN KEY ("thread_id") REFERENCES "public"."threads"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "threads_by_activity" ON "threads" USING btree ((case when "last_reply_at" is null then "created_at" else "last_reply_at" end),"id") WHERE "threads"."hidden_at" is null and "threads"."opening_hidden_at" is null and "threads"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "threads_by_category" ON "threads" USING btree ("category",(case when "last_reply_at" is null then "created_at" else "last_reply_at" end),"id") WHERE "threads"."hidden_at" is null and "threads"."opening_hidden_at" is null and "threads"."deleted_at" is null;--> statement-breakpoint
UPDATE "threads" SET "last_reply_at" = (SELECT "created_at" FROM "posts" WHERE "posts"."thread_id" = "threads"."id" AND "posts"."position" = "threads"."post_count") WHERE "post_count" > 1;
