import type { Tables } from '#db/schema/make-schema.ts';

export type WebhookRow = Tables['webhooks']['$inferSelect'];
export type DeliveryRow = Tables['webhookDeliveries']['$inferSelect'];
