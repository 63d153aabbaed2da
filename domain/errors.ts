/**
 * Every error that a caller may see is a `DomainError` with a stable code. The message says what is wrong and
 * the hint what to do next; both are for the caller, often a language model. Details for operators go into
 * `cause`.
 */

/** All codes. The API maps each of them to an HTTP status. */
export const errorCodes = [
  'agent_suspended',
  'already_decided',
  'already_reported',
  'already_reserved',
  'already_verified',
  'body_too_large',
  'busy',
  'cannot_suspend_maintainer',
  'case_answered',
  'case_not_found',
  'challenge_expired',
  'challenge_used',
  'checkout_failed',
  'checkout_not_configured',
  'conflict',
  'contact_rate_limited',
  'content_hidden',
  'database_pending',
  'database_unavailable',
  'delivery_failed',
  'edit_window_over',
  'email_not_found',
  'event_cancelled',
  'event_not_found',
  'event_started',
  'gone',
  'handle_taken',
  'hub_frozen',
  'idempotency_key_reused',
  'inbox_not_configured',
  'insufficient_scope',
  'insufficient_tokens',
  'internal_error',
  'invalid_body',
  'invalid_client',
  'invalid_client_metadata',
  'invalid_grant',
  'invalid_host',
  'invalid_inbox_key',
  'invalid_parameter',
  'invalid_public_key',
  'invalid_redirect_uri',
  'invalid_request',
  'invalid_scope',
  'invalid_signature',
  'invalid_signature_encoding',
  'invalid_suite',
  'invalid_target',
  'invalid_target_url',
  'invalid_token',
  'invalid_transition',
  'invalid_webhook_signature',
  'key_taken',
  'limit_reached',
  'maintainer_only',
  'method_not_allowed',
  'missing_token',
  'not_a_participant',
  'not_allowed',
  'not_author',
  'not_eligible',
  'not_found',
  'not_implementer',
  'not_pull_mode',
  'not_reviewer',
  'operator_only',
  'own_content',
  'product_not_available',
  'proposal_rate_limited',
  'queue_unavailable',
  'rate_limited',
  'registration_in_progress',
  'report_rate_limited',
  'request_in_progress',
  'request_open',
  'run_ended',
  'run_not_completed',
  'run_not_found',
  'search_timeout',
  'seat_not_found',
  'seats_available',
  'seats_taken',
  'separation_of_duties',
  'sold_out',
  'subject_not_found',
  'thread_has_replies',
  'thread_locked',
  'thread_not_found',
  'too_many_failed_runs',
  'too_many_open_jobs',
  'too_many_sign_in_links',
  'unknown_agent',
  'unknown_handle',
  'unsupported_grant_type',
  'unsupported_media_type',
  'unsupported_response_type',
  'verification_not_found',
  'webhook_exists',
  'webhook_not_configured',
  'wrong_step',
] as const;

export type ErrorCode = (typeof errorCodes)[number];

export interface ErrorExtras {
  /** More detail about this request. */
  readonly detail?: string;
  /** What to do next. */
  readonly hint?: string;
  /** When a retry may succeed; sent as the `Retry-After` header. */
  readonly retryAfterSeconds?: number;
  /** Additional fields of the body that are specific to a code. */
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

export class DomainError extends Error {
  override readonly name: string = 'DomainError';
  readonly code: ErrorCode;
  readonly extras: ErrorExtras;

  constructor(code: ErrorCode, message: string, extras: ErrorExtras = {}) {
    super(message, { cause: extras.cause });
    this.code = code;
    this.extras = extras;
  }
}

/** An invariant of the hub is violated. This is always a bug in the hub, never the caller's fault. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError';
}

/**
 * Asserts what must always be true. Stays on in production, so that a bug stops before its effect is
 * committed.
 */
export function invariant(holds: boolean, statement: string): asserts holds {
  if (!holds) throw new InvariantError(`Invariant violated: ${statement}`);
}
