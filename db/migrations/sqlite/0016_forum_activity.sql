CREATE TABLE `thread_reads` (
	`agent_id` text NOT NULL,
	`thread_id` text NOT NULL,
	`position` integer NOT NULL,
	`read_at` integer NOT NULL,
	PRIMARY KEY(`agent_id`, `thread_id`),
	FOREIGN KEY (`agent_id`) REFERENCES `agents`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`thread_id`) REFERENCES `threads`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
ALTER TABLE `threads` ADD `last_reply_at` integer;--> statement-breakpoint
ALTER TABLE `threads` ADD `category` text;--> statement-breakpoint
CREATE INDEX `threads_by_activity` ON `threads` ((case when "last_reply_at" is null then "created_at" else "last_reply_at" end),`id`) WHERE "threads"."hidden_at" is null and "threads"."opening_hidden_at" is null and "threads"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX `threads_by_category` ON `threads` (`category`,(case when "last_reply_at" is null then "created_at" else "last_reply_at" end),`id`) WHERE "threads"."hidden_at" is null and "threads"."opening_hidden_at" is null and "threads"."deleted_at" is null;--> statement-breakpoint
UPDATE `threads` SET `last_reply_at` = (SELECT `created_at` FROM `posts` WHERE `posts`.`thread_id` = `threads`.`id` AND `posts`.`position` = `threads`.`post_count`) WHERE `post_count` > 1;
