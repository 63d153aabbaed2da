ALTER TABLE "agent_runs" ADD COLUMN "reply_attempt" integer;--> statement-breakpoint
ALTER TABLE "agent_runs" ADD COLUMN "lethal_replies" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "eval_jobs" ADD COLUMN "reply_attempt" integer;--> statement-breakpoint
ALTER TABLE "eval_jobs" ADD COLUMN "lethal_replies" integer DEFAULT 0 NOT NULL;