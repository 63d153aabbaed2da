ALTER TABLE "eval_jobs" DROP CONSTRAINT "eval_jobs_redemption_id_redemptions_id_fk";
--> statement-breakpoint
ALTER TABLE "eval_jobs" DROP CONSTRAINT "eval_jobs_agent_id_agents_id_fk";
--> statement-breakpoint
ALTER TABLE "redemptions" DROP CONSTRAINT "redemptions_agent_id_agents_id_fk";
