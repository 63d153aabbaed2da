CREATE TABLE `contact_log` (
	`mail_id` text PRIMARY KEY NOT NULL,
	`network_hash` text NOT NULL,
	`created_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `contact_log_by_network` ON `contact_log` (`network_hash`,`created_at`);--> statement-breakpoint
CREATE INDEX `contact_log_by_age` ON `contact_log` (`created_at`);--> statement-breakpoint
CREATE TABLE `inbox_emails` (
	`id` text PRIMARY KEY NOT NULL,
	`identity` text NOT NULL,
	`message_id` text,
	`sender` text NOT NULL,
	`recipients` text NOT NULL,
	`subject` text NOT NULL,
	`text` text NOT NULL,
	`attachments` text NOT NULL,
	`status` text NOT NULL,
	`received_at` integer NOT NULL,
	`updated_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `inbox_emails_identity_unique` ON `inbox_emails` (`identity`);--> statement-breakpoint
CREATE INDEX `inbox_emails_by_status` ON `inbox_emails` (`status`,`id`);--> statement-breakpoint
CREATE TABLE `mails` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`status` text NOT NULL,
	`recipient` text,
	`reply_to` text,
	`subject` text NOT NULL,
	`text` text NOT NULL,
	`attempt` integer NOT NULL,
	`next_try_at` integer NOT NULL,
	`give_up_at` integer NOT NULL,
	`failure` text,
	`created_at` integer NOT NULL,
	`ended_at` integer
) STRICT;
--> statement-breakpoint
CREATE INDEX `mails_ended` ON `mails` (`ended_at`) WHERE "mails"."ended_at" is not null;--> statement-breakpoint
CREATE TABLE `webhook_receipts` (
	`webhook_id` text PRIMARY KEY NOT NULL,
	`kind` text,
	`received_at` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `webhook_receipts_by_age` ON `webhook_receipts` (`received_at`);