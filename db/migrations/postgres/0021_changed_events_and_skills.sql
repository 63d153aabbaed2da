ALTER TABLE "events" ADD COLUMN "changed_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "skills" ADD COLUMN "edited_at" timestamp (3) with time zone;