ALTER TABLE `token_lots` ADD `had_grace` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `work_orders` ADD `bounty_expires_at` integer;--> statement-breakpoint
ALTER TABLE `work_orders` ADD `vouched` integer;