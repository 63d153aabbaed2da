ALTER TABLE `events` ADD `changed_at` integer;--> statement-breakpoint
ALTER TABLE `skills` ADD `edited_at` integer;