CREATE INDEX "token_lots_used_up" ON "token_lots" USING btree ("agent_id","id") WHERE "token_lots"."remaining" = 0;--> statement-breakpoint
CREATE INDEX "verification_reviews_by_agent" ON "verification_reviews" USING btree ("agent_id","id");--> statement-breakpoint
CREATE INDEX "webhooks_deleted_by_agent" ON "webhooks" USING btree ("agent_id","id") WHERE "webhooks"."deleted_at" is not null;--> statement-breakpoint
CREATE INDEX "work_order_comments_by_author" ON "work_order_comments" USING btree ("author_id","id");