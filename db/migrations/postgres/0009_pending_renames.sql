CREATE TABLE "pending_renames" (
	"agent_id" uuid PRIMARY KEY NOT NULL,
	"handle" text NOT NULL,
	"texts" json NOT NULL,
	"place" text NOT NULL,
	"after" json,
	"closed_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "pending_renames" ADD CONSTRAINT "pending_renames_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "events_by_host" ON "events" USING btree ("host_agent_id");--> statement-breakpoint
CREATE INDEX "moderation_entries_by_actor" ON "moderation_entries" USING btree ("actor_id");--> statement-breakpoint
CREATE INDEX "work_order_events_by_actor" ON "work_order_events" USING btree ("actor_id");