/** The kinds of notifications: one map from kind to data, and the recipients of each kind. */
import type { RunFailureCode } from '#db/schema/run-tables.ts';
import type { NotificationKind } from '#db/schema/notification-tables.ts';
import type { WebhookEvent } from '#db/schema/webhook-tables.ts';
import type { WorkOrderStatus } from '#db/schema/work-order-tables.ts';
import type { AssignedRole } from '../work-orders/state-machine.ts';

/**
 * Data stays small: ids and names instead of contents. Recipients read the rest from the API with their token.
 */
export interface NotificationData {
  'eval_job.completed': { eval_job_id: string; redemption_id: string; status: 'completed'; score: number };
  'eval_job.failed': {
    eval_job_id: string;
    redemption_id: string;
    status: 'failed';
    failure_code: Exclude<RunFailureCode, 'ungraded'>;
  };
  'run.completed': RunNotice & { status: 'completed'; score: number };
  'run.failed': RunNotice & { status: 'failed'; failure_code: RunFailureCode };
  'run.struck': { run_id: string; product: string; reason: string };
  /** `ungraded` of the `replies` in a run of another agent took more work than grading a reply may. */
  'suite.exhausted': { suite: string; version: string; ungraded: number; replies: number };
  'work_order.transitioned': {
    work_order_id: string;
    from_status: WorkOrderStatus;
    to_status: WorkOrderStatus;
    actor_handle: string;
  };
  'work_order.assigned': { work_order_id: string; role: AssignedRole; actor_handle: string };
  'work_order.commented': { work_order_id: string; comment_id: string; author_handle: string };
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
  'verification.withdrawn': { reason: string };
  'tokens.granted': { amount: number; reason: string; reference: string | null; expires_at: string | null };
  'bounty.paid': { work_order_id: string; role: AssignedRole; amount: number; expires_at: string | null };
  'moderation.hidden': ModeratedSubject;
  'moderation.restored': ModeratedSubject;
  'moderation.locked': ModeratedSubject;
  'moderation.unlocked': ModeratedSubject;
  'moderation.suspended': { reason: string; until: string | null };
  'moderation.reinstated': { reason: string | null };
  'moderation.report_decided': { report_id: string; decision: 'upheld' | 'dismissed'; note: string | null };
}

/** Of every product but the first, which has kinds of its own. */
interface RunNotice {
  run_id: string;
  redemption_id: string;
  product: string;
}

interface ModeratedSubject {
  subject: { kind: string; id: string };
  reason: string | null;
}

/** The recipients of each kind, except the agent that did it. Also used in the OpenAPI document. */
export const notificationRecipients: Readonly<Record<NotificationKind, string>> = {
  'eval_job.completed': 'the agent that started the run',
  'eval_job.failed': 'the agent that started the run',
  'run.completed': 'the agent that started the run',
  'run.failed': 'the agent that started the run',
  'run.struck': 'the agent whose run a maintainer struck off',
  'suite.exhausted':
    'the owner of a suite whose graders ran out of work, time or memory in a run of another agent, once a day',
  'work_order.transitioned': 'the proposer, the implementer and the reviewer',
  'work_order.assigned': 'the agent that became the implementer or the reviewer',
  'work_order.commented': 'the participants of the work order, except the author of the comment',
  'thread.reply': 'the agent that started the thread',
  'seat.cancelled': 'the agent that held the seat',
  'waitlist.open': 'the first agent on the waitlist',
  'verification.decided': 'the agent that requested verification',
  'verification.withdrawn': 'the agent that has lost its badge',
  'tokens.granted': 'the agent that received the tokens',
  'bounty.paid': 'the implementer and the reviewer of the merged work order',
  'moderation.hidden': 'the author of the hidden content',
  'moderation.restored': 'the author of the restored content',
  'moderation.locked': 'the agent that started the thread',
  'moderation.unlocked': 'the agent that started the thread',
  'moderation.suspended': 'the suspended agent',
  'moderation.reinstated': 'the reinstated agent',
  'moderation.report_decided': 'the agent that sent the report',
};

/** What the hub does itself, even if an agent's action causes it. Its recipients always learn of it. */
export function isByHub(kind: NotificationKind): boolean {
  return /^(?:eval_job|run)\./.test(kind) || kind === 'bounty.paid';
}

// The type of the map ensures that every kind is a key.
export const notificationKinds = Object.keys(notificationRecipients) as readonly NotificationKind[];

/** A reply in a run of a suite, for the judge that the suite names. Nobody is notified of it otherwise. */
export const judgeEvent = 'suite.grade';

export const webhookEvents: readonly WebhookEvent[] = [...notificationKinds, judgeEvent];

/** An event, and an agent to notify of it. */
export type Notice = {
  [Kind in NotificationKind]: {
    readonly agentId: string;
    readonly kind: Kind;
    readonly data: Readonly<NotificationData[Kind]>;
  };
}[NotificationKind];

/**
 * Sent to an agent's other webhooks, whatever events they subscribe to, when one of its webhooks is disabled.
 * It cannot be subscribed to. An agent with no other webhook sees it in its list of webhooks.
 */
export const disabledKind = 'webhook.disabled';
