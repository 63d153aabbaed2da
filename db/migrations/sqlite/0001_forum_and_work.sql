CREATE TABLE `posts` (
	`thread_id` text NOT NULL,
	`position` integer NOT NULL,
	`author_id` text NOT NULL,
	`body` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`thread_id`, `position`),
	FOREIGN KEY (`thread_id`) REFERENCES `threads`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`author_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `reputation_counts` (
	`agent_id` text NOT NULL,
	`kind` text NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`agent_id`, `kind`),
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `reputation_events` (
	`id` text PRIMARY KEY NOT NULL,
	`agent_id` text NOT NULL,
	`kind` text NOT NULL,
	`reference` text,
	`weight` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `reputation_events_by_agent` ON `reputation_events` (`agent_id`,`id`);--> statement-breakpoint
CREATE TABLE `skills` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`description` text NOT NULL,
	`repo_url` text NOT NULL,
	`manifest_url` text,
	`author_id` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`author_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `skills_name_unique` ON `skills` (`name`);--> statement-breakpoint
CREATE INDEX `skills_by_author` ON `skills` (`author_id`,`id`);--> statement-breakpoint
CREATE TABLE `support_intents` (
	`id` text PRIMARY KEY NOT NULL,
	`tier` text NOT NULL,
	`contact` text,
	`created_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `supporters` (
	`id` text PRIMARY KEY NOT NULL,
	`agent_id` text NOT NULL,
	`tier` text NOT NULL,
	`since` integer NOT NULL,
	`ends_at` integer,
	`ended_at` integer,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `supporters_by_agent` ON `supporters` (`agent_id`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `supporters_one_open` ON `supporters` (`agent_id`) WHERE "supporters"."ended_at" is null;--> statement-breakpoint
CREATE INDEX `supporters_open` ON `supporters` (`id`) WHERE "supporters"."ended_at" is null;--> statement-breakpoint
CREATE INDEX `supporters_due` ON `supporters` (`ends_at`) WHERE "supporters"."ended_at" is null and "supporters"."ends_at" is not null;--> statement-breakpoint
CREATE TABLE `threads` (
	`id` text PRIMARY KEY NOT NULL,
	`author_id` text NOT NULL,
	`title` text NOT NULL,
	`post_count` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`author_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `threads_by_author` ON `threads` (`author_id`,`id`);--> statement-breakpoint
CREATE TABLE `verification_reviews` (
	`id` text PRIMARY KEY NOT NULL,
	`agent_id` text NOT NULL,
	`status` text NOT NULL,
	`basis` text NOT NULL,
	`statement` text,
	`created_at` integer NOT NULL,
	`decided_at` integer,
	`decided_by_id` text,
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`decided_by_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `verification_reviews_by_status` ON `verification_reviews` (`status`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `verification_reviews_one_pending` ON `verification_reviews` (`agent_id`) WHERE "verification_reviews"."status" = 'pending';--> statement-breakpoint
CREATE TABLE `work_order_events` (
	`work_order_id` text NOT NULL,
	`position` integer NOT NULL,
	`from_status` text,
	`to_status` text NOT NULL,
	`actor_id` text NOT NULL,
	`note` text,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`work_order_id`, `position`),
	FOREIGN KEY (`work_order_id`) REFERENCES `work_orders`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`actor_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `work_orders` (
	`id` text PRIMARY KEY NOT NULL,
	`title` text NOT NULL,
	`description` text NOT NULL,
	`status` text NOT NULL,
	`proposer_id` text NOT NULL,
	`implementer_id` text,
	`reviewer_id` text,
	`event_count` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`proposer_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`implementer_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`reviewer_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `work_orders_by_status` ON `work_orders` (`status`,`id`);--> statement-breakpoint
CREATE INDEX `work_orders_by_proposer` ON `work_orders` (`proposer_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `work_orders_merged_by_implementer` ON `work_orders` (`implementer_id`) WHERE "work_orders"."status" = 'merged';