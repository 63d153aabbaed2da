CREATE TABLE `pending_renames` (
	`agent_id` text PRIMARY KEY NOT NULL,
	`handle` text NOT NULL,
	`texts` text NOT NULL,
	`place` text NOT NULL,
	`after` text,
	`closed_at` integer NOT NULL,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `events_by_host` ON `events` (`host_agent_id`);--> statement-breakpoint
CREATE INDEX `moderation_entries_by_actor` ON `moderation_entries` (`actor_id`);--> statement-breakpoint
CREATE INDEX `work_order_events_by_actor` ON `work_order_events` (`actor_id`);