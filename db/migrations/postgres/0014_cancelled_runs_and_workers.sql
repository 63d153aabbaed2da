ALTER TABLE "agent_runs" ADD COLUMN "cancelled" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "eval_hand_outs" ADD COLUMN "worker" text DEFAULT 'main' NOT NULL;--> statement-breakpoint
ALTER TABLE "eval_jobs" ADD COLUMN "cancelled" boolean DEFAULT false NOT NULL;