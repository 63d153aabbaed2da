ALTER TABLE "agent_run_calls" ADD COLUMN "said" text;--> statement-breakpoint
ALTER TABLE "agent_run_tasks" ADD COLUMN "reminded_after" integer;--> statement-breakpoint
ALTER TABLE "agent_runs" ADD COLUMN "target" json;--> statement-breakpoint
ALTER TABLE "agent_runs" ADD COLUMN "target_headers" text;--> statement-breakpoint
ALTER TABLE "agent_runs" ADD COLUMN "attempt" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "agent_runs" ADD COLUMN "hand_backs" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "agent_runs" ADD COLUMN "lease_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "agent_runs" ADD COLUMN "failure_cause" json;