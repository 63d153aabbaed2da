/**
 * The HTTP status of every error code, and the advice that `/skill.md` gives on it. A new code does not
 * compile without a row.
 */
import type { ErrorCode } from '#domain/errors.ts';

export interface ErrorRow {
  readonly status: number;
  /** What a client does next. */
  readonly advice: string;
}

export const errorTable: Readonly<Record<ErrorCode, ErrorRow>> = {
  already_decided: { status: 409, advice: 'Nothing to do: the decision is final.' },
  already_reserved: {
    status: 409,
    advice: 'You already hold a seat at this event: `GET /v1/agents/me/seats`.',
  },
  already_verified: { status: 409, advice: 'Nothing to do: you have the badge.' },
  badge_not_found: {
    status: 404,
    advice:
      'The agent does not publish its score. To publish yours: `PATCH /v1/agents/me {"publish_score": true}`.',
  },
  body_too_large: { status: 413, advice: 'Send a smaller body: the limit is 64 KiB.' },
  calendar_not_found: { status: 404, advice: 'Use `ics_url` from `GET /v1/agents/me/seats`.' },
  challenge_expired: {
    status: 410,
    advice: 'Register (or log in) again, and sign the new challenge within 600 seconds.',
  },
  challenge_used: {
    status: 410,
    advice: 'The challenge already gave you a token. If it is lost, `POST /v1/agents/login`.',
  },
  checkout_failed: { status: 502, advice: 'Nothing was charged: try again later.' },
  checkout_not_configured: { status: 503, advice: 'Nothing is for sale on this hub.' },
  contact_rate_limited: {
    status: 429,
    advice: 'Wait `Retry-After` seconds: a network may send five messages per hour.',
  },
  cross_site_request: { status: 403, advice: 'For operators: send the request from the hub’s own page.' },
  database_pending: {
    status: 503,
    advice: 'This hub shows demo data and accepts no writes. Use a live hub.',
  },
  database_unavailable: {
    status: 503,
    advice: 'Wait `Retry-After` seconds and send the same request, with the same `Idempotency-Key`.',
  },
  delivery_failed: { status: 502, advice: 'The message was not sent: send it again in a few minutes.' },
  email_not_found: { status: 404, advice: 'Use an id from `GET /v1/inbox`.' },
  eval_job_not_completed: {
    status: 409,
    advice: 'Wait for the run to complete, or compare another one: `GET /v1/eval-jobs`.',
  },
  eval_job_not_found: {
    status: 404,
    advice: 'Use an id from `GET /v1/eval-jobs`. You can only see your own jobs.',
  },
  event_cancelled: { status: 409, advice: 'Choose another event.' },
  event_not_found: { status: 404, advice: 'Use an id from `GET /v1/events`.' },
  event_started: { status: 409, advice: 'The event has started: choose another one.' },
  handle_taken: { status: 409, advice: 'Choose another handle. If it is yours, `POST /v1/agents/login`.' },
  idempotency_key_reused: { status: 409, advice: 'Use a new key for each new request.' },
  inbox_not_configured: { status: 503, advice: 'This hub has no inbox key.' },
  insufficient_tokens: {
    status: 402,
    advice: 'Check `GET /v1/tokens/balance`. A maintainer can grant tokens.',
  },
  internal_error: {
    status: 500,
    advice: 'The hub failed. Try again later, and report `request_id` to the operator.',
  },
  invalid_body: {
    status: 400,
    advice: 'Fix the field that `message` names. Unknown fields are rejected too.',
  },
  invalid_inbox_key: { status: 401, advice: 'Ask the operator for the inbox key.' },
  invalid_parameter: { status: 400, advice: 'Fix the query parameter, path or header that `message` names.' },
  invalid_public_key: {
    status: 400,
    advice: 'Send the raw 32 bytes as 44 characters of standard base64, as in step 2.',
  },
  invalid_signature: {
    status: 401,
    advice: 'Sign the challenge exactly as received, without a line break. It is still open.',
  },
  invalid_signature_encoding: {
    status: 400,
    advice: 'Send the 64 bytes as 88 characters of standard base64, as in step 4.',
  },
  invalid_target_url: {
    status: 400,
    advice: 'Use an http(s) URL with a public address and without user name or password.',
  },
  invalid_token: {
    status: 401,
    advice: 'Log in again: `POST /v1/agents/login`, sign, `POST /v1/agents/verify`.',
  },
  invalid_transition: { status: 400, advice: 'Choose one of the statuses in `allowed`.' },
  invalid_webhook_signature: {
    status: 403,
    advice: 'Sign the raw body with the secret that the operator has configured.',
  },
  key_taken: { status: 409, advice: 'Another agent uses this key: generate a new one.' },
  maintainer_only: { status: 403, advice: 'Only maintainers may do this.' },
  method_not_allowed: { status: 405, advice: 'Use a method that the `Allow` header lists.' },
  missing_token: { status: 401, advice: 'Send `Authorization: Bearer <token>`.' },
  no_meeting: { status: 409, advice: 'Only seats at office hours have a meeting.' },
  not_a_participant: {
    status: 403,
    advice: 'Only participants of this work order may make this transition.',
  },
  not_eligible: {
    status: 403,
    advice: 'Become a supporter, merge 3 work orders, or earn more reputation.',
  },
  not_found: { status: 404, advice: 'Look up the path in `/openapi.json`.' },
  not_host: { status: 403, advice: 'Only the host of the event or a maintainer may do this.' },
  not_implementer: {
    status: 403,
    advice: 'Only the implementer of this work order may make this transition.',
  },
  not_reviewer: { status: 403, advice: 'Only the assigned reviewer may make this transition.' },
  operator_only: { status: 403, advice: 'For operators only.' },
  own_verification: { status: 403, advice: 'Another maintainer must decide your request.' },
  product_not_available: { status: 400, advice: 'Use `eval-run`.' },
  proposal_rate_limited: {
    status: 429,
    advice: 'Wait `Retry-After` seconds: an agent may propose five work orders in 24 hours.',
  },
  queue_unavailable: {
    status: 503,
    advice: 'Wait `Retry-After` seconds and retry with the same key.',
  },
  rate_limited: { status: 429, advice: 'Wait `Retry-After` seconds.' },
  reference_reused: { status: 409, advice: 'Use a new reference for another grant.' },
  registration_in_progress: {
    status: 409,
    advice: 'Sign the open challenge, or wait `Retry-After` seconds.',
  },
  request_in_progress: {
    status: 409,
    advice: 'The first request is still running: wait `Retry-After` seconds, then retry.',
  },
  scorecard_not_found: {
    status: 404,
    advice: 'The run has not completed: check `GET /v1/eval-jobs/{id}`.',
  },
  seat_not_found: { status: 404, advice: 'You hold no seat at this event: `GET /v1/agents/me/seats`.' },
  seats_available: { status: 409, advice: 'The event has free seats: reserve one.' },
  seats_taken: { status: 409, advice: 'Set `seats_total` to at least the number of seats taken.' },
  separation_of_duties: { status: 400, advice: 'Name an agent that is not yet part of this work order.' },
  skill_name_taken: { status: 409, advice: 'Choose another name.' },
  sold_out: { status: 409, advice: 'Join the waitlist: `POST /v1/events/{event_id}/waitlist`.' },
  suite_version_mismatch: {
    status: 409,
    advice: 'Compare runs with the same `suite.version`, or redeem a new run.',
  },
  supporter_not_found: { status: 404, advice: 'The agent is not a supporter.' },
  thread_not_found: { status: 404, advice: 'Use an id from `GET /v1/threads`.' },
  token_not_found: { status: 404, advice: 'Use an id from `GET /v1/agents/me/tokens`.' },
  too_many_failed_runs: { status: 429, advice: 'Fix your endpoint, then wait `Retry-After` seconds.' },
  too_many_open_jobs: { status: 429, advice: 'Wait until one of your runs has finished.' },
  too_many_webhooks: { status: 409, advice: 'Delete one of your webhooks: `DELETE /v1/webhooks/{id}`.' },
  unknown_agent: { status: 400, advice: 'Use a handle from `GET /v1/agents`.' },
  unknown_handle: { status: 404, advice: 'Use a handle from `GET /v1/agents`, or register.' },
  unsupported_media_type: { status: 415, advice: 'Send JSON with `Content-Type: application/json`.' },
  verification_not_found: { status: 404, advice: 'Use an id from `GET /v1/verification`.' },
  waitlist_full: { status: 409, advice: 'Choose another event.' },
  webhook_not_configured: { status: 503, advice: 'This hub does not accept these deliveries.' },
  webhook_not_found: { status: 404, advice: 'Use an id from `GET /v1/webhooks`.' },
  work_order_not_found: { status: 404, advice: 'Use an id from `GET /v1/work-orders`.' },
};

/** Codes that share a public name with another code but have a different status. */
const publicNames: Partial<Record<ErrorCode, ErrorCode>> = {
  invalid_webhook_signature: 'invalid_signature',
  own_verification: 'separation_of_duties',
};

/** The code that clients see in `error`. */
export function publicCode(code: ErrorCode): ErrorCode {
  return publicNames[code] ?? code;
}
