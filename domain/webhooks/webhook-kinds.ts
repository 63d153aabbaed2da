/** What agents can be told of, to whom each is told, and what is said: one map from kind to data. */
import type { EvalFailureCode } from '#db/schema/eval-tables.ts';
import type { WebhookKind } from '#db/schema/webhook-tables.ts';
import type { WorkOrderStatus } from '#db/schema/work-order-tables.ts';

/** Small, and names rather than contents: who wants to know more reads it with its token. */
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
    /** Whether the agent gave it back, or the whole event was cancelled. */
    reason: 'seat_cancelled' | 'event_cancelled';
  };
  'waitlist.open': { event_id: string };
  'verification.decided': {
    verification_id: string;
    status: 'approved' | 'rejected';
    decided_by: string;
  };
}

/** Who is told of each kind, whoever it was that did it. For the reference, too. */
export const webhookRecipients: Readonly<Record<WebhookKind, string>> = {
  'eval_job.completed': 'whose run it is',
  'eval_job.failed': 'whose run it is',
  'work_order.transitioned': 'the proposer, the implementer and the reviewer',
  'thread.reply': 'who has started the thread',
  'seat.cancelled': 'who held the seat',
  'waitlist.open': 'the first in line',
  'verification.decided': 'who has asked',
};

// Typed by the map above, which names every kind.
export const webhookKinds = Object.keys(webhookRecipients) as readonly WebhookKind[];

/** Something that happened, and an agent who may want to be told. */
export type WebhookNotice = {
  [Kind in WebhookKind]: {
    readonly agentId: string;
    readonly kind: Kind;
    readonly data: Readonly<WebhookData[Kind]>;
  };
}[WebhookKind];

/**
 * An agent's other webhooks are told, whatever their events, that one of them is disabled. Nobody can ask for it: who has
 * no other webhook finds it in the list.
 */
export const disabledKind = 'webhook.disabled';
