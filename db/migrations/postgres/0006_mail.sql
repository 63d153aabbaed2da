CREATE TABLE "contact_log" (
	"mail_id" uuid PRIMARY KEY NOT NULL,
	"network_hash" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "inbox_emails" (
	"id" uuid PRIMARY KEY NOT NULL,
	"identity" text NOT NULL,
	"message_id" text,
	"sender" text NOT NULL,
	"recipients" text NOT NULL,
	"subject" text NOT NULL,
	"text" text NOT NULL,
	"attachments" json NOT NULL,
	"status" text NOT NULL,
	"received_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "inbox_emails_identity_unique" UNIQUE("identity")
);
--> statement-breakpoint
CREATE TABLE "mails" (
	"id" uuid PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"status" text NOT NULL,
	"recipient" text,
	"reply_to" text,
	"subject" text NOT NULL,
	"text" text NOT NULL,
	"attempt" integer NOT NULL,
	"next_try_at" timestamp (3) with time zone NOT NULL,
	"give_up_at" timestamp (3) with time zone NOT NULL,
	"failure" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"ended_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "webhook_receipts" (
	"webhook_id" text PRIMARY KEY NOT NULL,
	"kind" text,
	"received_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "contact_log_by_network" ON "contact_log" USING btree ("network_hash","created_at");--> statement-breakpoint
CREATE INDEX "contact_log_by_age" ON "contact_log" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "inbox_emails_by_status" ON "inbox_emails" USING btree ("status","id");--> statement-breakpoint
CREATE INDEX "mails_ended" ON "mails" USING btree ("ended_at") WHERE "mails"."ended_at" is not null;--> statement-breakpoint
CREATE INDEX "webhook_receipts_by_age" ON "webhook_receipts" USING btree ("received_at");