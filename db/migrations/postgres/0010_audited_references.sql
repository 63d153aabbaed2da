ALTER TABLE "seats" DROP CONSTRAINT "seats_event_id_events_id_fk";
--> statement-breakpoint
ALTER TABLE "seats" DROP CONSTRAINT "seats_agent_id_agents_id_fk";
--> statement-breakpoint
ALTER TABLE "token_entries" DROP CONSTRAINT "token_entries_agent_id_agents_id_fk";
