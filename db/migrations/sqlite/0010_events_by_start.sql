DROP INDEX `events_by_start`;--> statement-breakpoint
CREATE INDEX `events_by_start` ON `events` (`starts_at`,`id`,`ends_at`);