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
ALTER TABLE "events" ADD CONSTRAINT "events_host_agent_id_agents_id_fk" FOREIGN KEY ("host_agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "seats" ADD CONSTRAINT "seats_event_id_events_id_fk" FOREIGN KEY ("event_id") REFERENCES "public"."events"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "seats" ADD CONSTRAINT "seats_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "waitlist_entries" ADD CONSTRAINT "waitlist_entries_event_id_events_id_fk" FOREIGN KEY ("event_id") REFERENCES "public"."events"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "waitlist_entries" ADD CONSTRAINT "waitlist_entries_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "events_by_start" ON "events" USING btree ("starts_at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "seats_idempotency_key_unique" ON "seats" USING btree ("agent_id","idempotency_key");--> statement-breakpoint
CREATE UNIQUE INDEX "seats_one_live_unique" ON "seats" USING btree ("event_id","agent_id") WHERE "seats"."status" = 'reserved';--> statement-breakpoint
CREATE INDEX "seats_by_cancelled_by" ON "seats" USING btree ("agent_id","cancelled_by") WHERE "seats"."cancelled_by" is not null;--> statement-breakpoint
CREATE INDEX "seats_by_agent" ON "seats" USING btree ("agent_id","id");--> statement-breakpoint
CREATE INDEX "seats_unconfirmed" ON "seats" USING btree ("event_id","meeting_confirm_by") WHERE "seats"."status" = 'reserved' and "seats"."meeting_confirmed_at" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "waitlist_entries_agent_unique" ON "waitlist_entries" USING btree ("event_id","agent_id");--> statement-breakpoint
CREATE INDEX "waitlist_entries_by_agent" ON "waitlist_entries" USING btree ("agent_id");