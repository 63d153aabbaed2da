UPDATE "jobs" SET "published_at" = "created_at" WHERE "published_at" IS NULL;--> statement-breakpoint
ALTER TABLE "jobs" ALTER COLUMN "published_at" SET NOT NULL;