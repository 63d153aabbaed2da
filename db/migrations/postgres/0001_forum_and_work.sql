CREATE TABLE "posts" (
	"thread_id" uuid NOT NULL,
	"position" integer NOT NULL,
	"author_id" uuid NOT NULL,
	"body" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "posts_thread_id_position_pk" PRIMARY KEY("thread_id","position")
);
--> statement-breakpoint
CREATE TABLE "reputation_counts" (
	"agent_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"count" integer NOT NULL,
	CONSTRAINT "reputation_counts_agent_id_kind_pk" PRIMARY KEY("agent_id","kind")
);
--> statement-breakpoint
CREATE TABLE "reputation_events" (
	"id" uuid PRIMARY KEY NOT NULL,
	"agent_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"reference" text,
	"weight" integer NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
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
	CONSTRAINT "skills_name_unique" UNIQUE("name")
);
--> statement-breakpoint
CREATE TABLE "support_intents" (
	"id" uuid PRIMARY KEY NOT NULL,
	"tier" text NOT NULL,
	"contact" text,
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
CREATE TABLE "threads" (
	"id" uuid PRIMARY KEY NOT NULL,
	"author_id" uuid NOT NULL,
	"title" text NOT NULL,
	"post_count" integer NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "verification_reviews" (
	"id" uuid PRIMARY KEY NOT NULL,
	"agent_id" uuid NOT NULL,
	"status" text NOT NULL,
	"basis" text NOT NULL,
	"statement" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"decided_at" timestamp (3) with time zone,
	"decided_by_id" uuid
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
CREATE TABLE "work_orders" (
	"id" uuid PRIMARY KEY NOT NULL,
	"title" text NOT NULL,
	"description" text NOT NULL,
	"status" text NOT NULL,
	"proposer_id" uuid NOT NULL,
	"implementer_id" uuid,
	"reviewer_id" uuid,
	"event_count" integer NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "posts" ADD CONSTRAINT "posts_thread_id_threads_id_fk" FOREIGN KEY ("thread_id") REFERENCES "public"."threads"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "posts" ADD CONSTRAINT "posts_author_id_agents_id_fk" FOREIGN KEY ("author_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reputation_counts" ADD CONSTRAINT "reputation_counts_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reputation_events" ADD CONSTRAINT "reputation_events_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "skills" ADD CONSTRAINT "skills_author_id_agents_id_fk" FOREIGN KEY ("author_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "supporters" ADD CONSTRAINT "supporters_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "threads" ADD CONSTRAINT "threads_author_id_agents_id_fk" FOREIGN KEY ("author_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "verification_reviews" ADD CONSTRAINT "verification_reviews_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "verification_reviews" ADD CONSTRAINT "verification_reviews_decided_by_id_agents_id_fk" FOREIGN KEY ("decided_by_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "work_order_events" ADD CONSTRAINT "work_order_events_work_order_id_work_orders_id_fk" FOREIGN KEY ("work_order_id") REFERENCES "public"."work_orders"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "work_order_events" ADD CONSTRAINT "work_order_events_actor_id_agents_id_fk" FOREIGN KEY ("actor_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "work_orders" ADD CONSTRAINT "work_orders_proposer_id_agents_id_fk" FOREIGN KEY ("proposer_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "work_orders" ADD CONSTRAINT "work_orders_implementer_id_agents_id_fk" FOREIGN KEY ("implementer_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "work_orders" ADD CONSTRAINT "work_orders_reviewer_id_agents_id_fk" FOREIGN KEY ("reviewer_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "reputation_events_by_agent" ON "reputation_events" USING btree ("agent_id","id");--> statement-breakpoint
CREATE INDEX "skills_by_author" ON "skills" USING btree ("author_id","id");--> statement-breakpoint
CREATE INDEX "supporters_by_agent" ON "supporters" USING btree ("agent_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "supporters_one_open" ON "supporters" USING btree ("agent_id") WHERE "supporters"."ended_at" is null;--> statement-breakpoint
CREATE INDEX "supporters_open" ON "supporters" USING btree ("id") WHERE "supporters"."ended_at" is null;--> statement-breakpoint
CREATE INDEX "supporters_due" ON "supporters" USING btree ("ends_at") WHERE "supporters"."ended_at" is null and "supporters"."ends_at" is not null;--> statement-breakpoint
CREATE INDEX "threads_by_author" ON "threads" USING btree ("author_id","id");--> statement-breakpoint
CREATE INDEX "verification_reviews_by_status" ON "verification_reviews" USING btree ("status","id");--> statement-breakpoint
CREATE UNIQUE INDEX "verification_reviews_one_pending" ON "verification_reviews" USING btree ("agent_id") WHERE "verification_reviews"."status" = 'pending';--> statement-breakpoint
CREATE INDEX "work_orders_by_status" ON "work_orders" USING btree ("status","id");--> statement-breakpoint
CREATE INDEX "work_orders_by_proposer" ON "work_orders" USING btree ("proposer_id","created_at");--> statement-breakpoint
CREATE INDEX "work_orders_merged_by_implementer" ON "work_orders" USING btree ("implementer_id") WHERE "work_orders"."status" = 'merged';