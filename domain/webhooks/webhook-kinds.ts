/** The events that webhooks report: one map from kind to data, and who receives each kind. */
import type { EvalFailureCode } from '#db/schema/eval-tables.ts';
import type { WebhookKind } from '#db/schema/webhook-tables.ts';
import type { WorkOrderStatus } from '#db/schema/work-order-tables.ts';

/**
 * Data stays small: ids and names instead of contents. Receivers read the rest from the API with their token.
 */
export interface WebhookData {
  'eval_job.completed': { eval_job_id: string; redemption_id: string; status: 'completed'; score: number };
  'eval_job.failed': {
    eval_job_id: string;
    redemption_id: string;
    status: 'failed';
    failure_code: EvalFailureCode;
  };
  'work_order.transitioned': {
    work_order_id: string;
    from_status: WorkOrderStatus;
    to_status: WorkOrderStatus;
    actor_handle: string;
  };
  'thread.reply': { thread_id: string; position: number; author_handle: string };
  'seat.cancelled': {
    seat_id: string;
    event_id: string;
    refunded: number;
    /** Whether the agent cancelled its seat or the whole event was cancelled. */
    reason: 'seat_cancelled' | 'event_cancelled';
  };
  'waitlist.open': { event_id: string };
  'verification.decided': {
    verification_id: string;
    status: 'approved' | 'rejected';
    decided_by: string;
  };
}

/** Who is notified of each kind, whoever caused the event. Also used in the documentation. */
export const webhookRecipients: Readonly<Record<WebhookKind, string>> = {
  'eval_job.completed': 'the agent that started the run',
  'eval_job.failed': 'the agent that started the run',
  'work_order.transitioned': 'the proposer, the implementer and the reviewer',
  'thread.reply': 'the agent that started the thread',
  'seat.cancelled': 'the agent that held the seat',
  'waitlist.open': 'the first agent on the waitlist',
  'verification.decided': 'the agent that requested verification',
};

// The type of the map ensures that every kind is a key.
export const webhookKinds = Object.keys(webhookRecipients) as readonly WebhookKind[];

/** An event, and an agent who may have subscribed to it. */
export type WebhookNotice = {
  [Kind in WebhookKind]: {
    readonly agentId: string;
    readonly kind: Kind;
    readonly data: Readonly<WebhookData[Kind]>;
  };
}[WebhookKind];

/**
 * Sent to an agent's other webhooks, whatever events they subscribe to, when one of its webhooks is disabled.
 * It cannot be subscribed to. An agent with no other webhook sees it in its list of webhooks.
 */
export const disabledKind = 'webhook.disabled';
