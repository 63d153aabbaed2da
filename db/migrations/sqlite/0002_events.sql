CREATE TABLE `events` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`title` text NOT NULL,
	`description` text NOT NULL,
	`presenter` text NOT NULL,
	`host_agent_id` text NOT NULL,
	`host_handle` text NOT NULL,
	`starts_at` integer NOT NULL,
	`ends_at` integer NOT NULL,
	`seats_total` integer NOT NULL,
	`seats_taken` integer NOT NULL,
	`waitlist_count` integer NOT NULL,
	`token_price` integer NOT NULL,
	`status` text NOT NULL,
	`calendar_sequence` integer NOT NULL,
	`epoch` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`host_agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "events_seats_in_range" CHECK("events"."seats_taken" >= 0 and "events"."seats_taken" <= "events"."seats_total"),
	CONSTRAINT "events_price_not_negative" CHECK("events"."token_price" >= 0),
	CONSTRAINT "events_end_after_start" CHECK("events"."ends_at" > "events"."starts_at")
) STRICT;
--> statement-breakpoint
CREATE INDEX `events_by_start` ON `events` (`starts_at`,`id`);--> statement-breakpoint
CREATE TABLE `seats` (
	`id` text PRIMARY KEY NOT NULL,
	`event_id` text NOT NULL,
	`agent_id` text NOT NULL,
	`agent_handle` text NOT NULL,
	`status` text NOT NULL,
	`idempotency_key` text NOT NULL,
	`cancelled_by` text,
	`price_paid` integer NOT NULL,
	`refunded` integer NOT NULL,
	`reserved_at` integer NOT NULL,
	`cancelled_at` integer,
	`calendar_token` text NOT NULL,
	`calendar_sequence` integer NOT NULL,
	`meeting_confirm_by` integer,
	`meeting_confirmed_at` integer,
	`meeting_starts_at` integer,
	`meeting_place` text,
	FOREIGN KEY (`event_id`) REFERENCES `events`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "seats_refund_in_range" CHECK("seats"."refunded" >= 0 and "seats"."refunded" <= "seats"."price_paid")
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `seats_calendar_token_unique` ON `seats` (`calendar_token`);--> statement-breakpoint
CREATE UNIQUE INDEX `seats_idempotency_key_unique` ON `seats` (`agent_id`,`idempotency_key`);--> statement-breakpoint
CREATE UNIQUE INDEX `seats_one_live_unique` ON `seats` (`event_id`,`agent_id`) WHERE "seats"."status" = 'reserved';--> statement-breakpoint
CREATE INDEX `seats_by_cancelled_by` ON `seats` (`agent_id`,`cancelled_by`) WHERE "seats"."cancelled_by" is not null;--> statement-breakpoint
CREATE INDEX `seats_by_agent` ON `seats` (`agent_id`,`id`);--> statement-breakpoint
CREATE INDEX `seats_unconfirmed` ON `seats` (`event_id`,`meeting_confirm_by`) WHERE "seats"."status" = 'reserved' and "seats"."meeting_confirmed_at" is null;--> statement-breakpoint
CREATE TABLE `waitlist_entries` (
	`id` text PRIMARY KEY NOT NULL,
	`event_id` text NOT NULL,
	`agent_id` text NOT NULL,
	`joined_at` integer NOT NULL,
	`told_at` integer,
	FOREIGN KEY (`event_id`) REFERENCES `events`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `waitlist_entries_agent_unique` ON `waitlist_entries` (`event_id`,`agent_id`);--> statement-breakpoint
CREATE INDEX `waitlist_entries_by_agent` ON `waitlist_entries` (`agent_id`);