DROP INDEX `seats_by_cancelled_by`;--> statement-breakpoint
CREATE UNIQUE INDEX `seats_cancelled_by_unique` ON `seats` (`agent_id`,`cancelled_by`,`event_id`) WHERE "seats"."cancelled_by" is not null;