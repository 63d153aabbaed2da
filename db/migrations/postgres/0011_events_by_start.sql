DROP INDEX "events_by_start";--> statement-breakpoint
CREATE INDEX "events_by_start" ON "events" USING btree ("starts_at","id","ends_at");