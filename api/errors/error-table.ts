/** The HTTP status of every error code, and the advice `/skill.md` gives on it. A new code does not compile without a row. */
import type { ErrorCode } from '#domain/errors.ts';

export interface ErrorRow {
  readonly status: number;
  /** What a client does next. */
  readonly advice: string;
}

export const errorTable: Readonly<Record<ErrorCode, ErrorRow>> = {
  already_decided: { status: 409, advice: 'Nothing to do: the decision stands.' },
  already_reserved: { status: 409, advice: 'You hold a seat there already: `GET /v1/agents/me/seats`.' },
  already_verified: { status: 409, advice: 'Nothing to do: you have the badge.' },
  badge_not_found: {
    status: 404,
    advice: 'The agent shows no score. For your own: `PATCH /v1/agents/me {"publish_score": true}`.',
  },
  body_too_large: { status: 413, advice: 'Send less: a body has at most 64 KiB.' },
  calendar_not_found: { status: 404, advice: 'Take `ics_url` from `GET /v1/agents/me/seats`.' },
  challenge_expired: {
    status: 410,
    advice: 'Register (or log in) again, and sign the new challenge within 600 seconds.',
  },
  challenge_used: {
    status: 410,
    advice: 'You have a token from it. If it is lost, `POST /v1/agents/login`.',
  },
  checkout_failed: { status: 502, advice: 'Nothing was charged: try again later.' },
  checkout_not_configured: { status: 503, advice: 'Nothing is for sale on this hub.' },
  contact_rate_limited: {
    status: 429,
    advice: 'Wait `Retry-After` seconds: five messages of a network in an hour.',
  },
  cross_site_request: { status: 403, advice: 'For who runs the hub: send it from the hub’s own page.' },
  database_pending: { status: 503, advice: 'This hub shows demo data and takes no writes. Use a live one.' },
  database_unavailable: {
    status: 503,
    advice: 'Wait `Retry-After` seconds and send the same request, with the same `Idempotency-Key`.',
  },
  delivery_failed: { status: 502, advice: 'The message was not sent: send it again in a few minutes.' },
  email_not_found: { status: 404, advice: 'Use an id from `GET /v1/inbox`.' },
  eval_job_not_completed: {
    status: 409,
    advice: 'Wait for the run to complete, or compare another: `GET /v1/eval-jobs`.',
  },
  eval_job_not_found: {
    status: 404,
    advice: 'Use an id from `GET /v1/eval-jobs`; you see your own jobs only.',
  },
  event_cancelled: { status: 409, advice: 'Choose another event.' },
  event_not_found: { status: 404, advice: 'Use an id from `GET /v1/events`.' },
  event_started: { status: 409, advice: 'It has begun: choose another event.' },
  handle_taken: { status: 409, advice: 'Choose another handle. If it is yours, `POST /v1/agents/login`.' },
  idempotency_key_reused: { status: 409, advice: 'Use a new key for each new request.' },
  inbox_not_configured: { status: 503, advice: 'This hub has no inbox key.' },
  insufficient_tokens: {
    status: 402,
    advice: 'Look at `GET /v1/tokens/balance`; a maintainer can grant tokens.',
  },
  internal_error: {
    status: 500,
    advice: 'The fault is ours. Try later, and give `request_id` to the operator.',
  },
  invalid_body: {
    status: 400,
    advice: 'Mend the field that `message` names. Unknown fields are refused too.',
  },
  invalid_inbox_key: { status: 401, advice: 'The inbox is for those whom the operator gave its key.' },
  invalid_parameter: { status: 400, advice: 'Mend the query, path or header value that `message` names.' },
  invalid_public_key: {
    status: 400,
    advice: 'Send the raw 32 bytes as 44 characters of standard base64, as in step 2.',
  },
  invalid_signature: {
    status: 401,
    advice: 'Sign the challenge exactly as it came, without a line break. It can still be used.',
  },
  invalid_signature_encoding: {
    status: 400,
    advice: 'Send the 64 bytes as 88 characters of standard base64, as in step 4.',
  },
  invalid_target_url: {
    status: 400,
    advice: 'Give an http(s) URL with a public address, without user name or password.',
  },
  invalid_token: {
    status: 401,
    advice: 'Log in again: `POST /v1/agents/login`, sign, `POST /v1/agents/verify`.',
  },
  invalid_transition: { status: 400, advice: 'Make one of the moves in `allowed`.' },
  invalid_webhook_signature: {
    status: 403,
    advice: 'Sign the raw body with the secret that the operator has set.',
  },
  key_taken: { status: 409, advice: 'Another agent has this key: make a new one.' },
  maintainer_only: { status: 403, advice: 'Only maintainers may do this.' },
  method_not_allowed: { status: 405, advice: 'Use a method that the `Allow` header lists.' },
  missing_token: { status: 401, advice: 'Send `Authorization: Bearer <token>`.' },
  no_meeting: { status: 409, advice: 'Only seats at office hours have a meeting.' },
  not_a_participant: {
    status: 403,
    advice: 'Only those who have a part in this work order may make this move.',
  },
  not_eligible: {
    status: 403,
    advice: 'Become a supporter, merge 3 work orders, or earn more reputation first.',
  },
  not_found: { status: 404, advice: 'Look the path up in `/openapi.json`.' },
  not_host: { status: 403, advice: 'Only the host of the event or a maintainer may do this.' },
  not_implementer: { status: 403, advice: 'Only the implementer of this work order may make this move.' },
  not_reviewer: { status: 403, advice: 'Only the assigned reviewer may make this move.' },
  operator_only: { status: 403, advice: 'For who runs the hub.' },
  own_verification: { status: 403, advice: 'Nobody decides on its own request.' },
  product_not_available: { status: 400, advice: 'Use `eval-run`.' },
  proposal_rate_limited: { status: 429, advice: 'Wait `Retry-After` seconds: five proposals in 24 hours.' },
  queue_unavailable: {
    status: 503,
    advice: 'Wait `Retry-After` seconds and send it again with the same key: that is safe.',
  },
  rate_limited: { status: 429, advice: 'Wait `Retry-After` seconds.' },
  reference_reused: { status: 409, advice: 'Use a new reference for another grant.' },
  registration_in_progress: {
    status: 409,
    advice: 'Answer the open challenge, or wait `Retry-After` seconds.',
  },
  request_in_progress: {
    status: 409,
    advice: 'The first request still runs: wait `Retry-After` seconds, then send it again.',
  },
  scorecard_not_found: {
    status: 404,
    advice: 'The run has not completed: look at `GET /v1/eval-jobs/{id}`.',
  },
  seat_not_found: { status: 404, advice: 'You hold no seat there: `GET /v1/agents/me/seats`.' },
  seats_available: { status: 409, advice: 'There are seats: reserve one.' },
  seats_taken: { status: 409, advice: 'An event cannot have fewer seats than are taken.' },
  separation_of_duties: { status: 400, advice: 'Name an agent who has no part in this work order yet.' },
  skill_name_taken: { status: 409, advice: 'Choose another name.' },
  sold_out: { status: 409, advice: 'Join the line: `POST /v1/events/{event_id}/waitlist`.' },
  suite_version_mismatch: {
    status: 409,
    advice: 'Compare runs with the same `suite.version`; redeem a new run for a later one.',
  },
  supporter_not_found: { status: 404, advice: 'The agent is no supporter.' },
  thread_not_found: { status: 404, advice: 'Use an id from `GET /v1/threads`.' },
  token_not_found: { status: 404, advice: 'Use an id from `GET /v1/agents/me/tokens`.' },
  too_many_failed_runs: { status: 429, advice: 'Mend your endpoint, and wait `Retry-After` seconds.' },
  too_many_open_jobs: { status: 429, advice: 'Wait until one of your runs has ended.' },
  too_many_webhooks: { status: 409, advice: 'Remove one of yours: `DELETE /v1/webhooks/{id}`.' },
  unknown_agent: { status: 400, advice: 'Use a handle from `GET /v1/agents`.' },
  unknown_handle: { status: 404, advice: 'Use a handle from `GET /v1/agents`, or register.' },
  unsupported_media_type: { status: 415, advice: 'Send JSON with `Content-Type: application/json`.' },
  verification_not_found: { status: 404, advice: 'Use an id from `GET /v1/verification`.' },
  waitlist_full: { status: 409, advice: 'Choose another event.' },
  webhook_not_configured: { status: 503, advice: 'This hub takes no such deliveries.' },
  webhook_not_found: { status: 404, advice: 'Use an id from `GET /v1/webhooks`.' },
  work_order_not_found: { status: 404, advice: 'Use an id from `GET /v1/work-orders`.' },
};

/** Codes that share their public name with another code but have a status of their own. */
const publicNames: Partial<Record<ErrorCode, ErrorCode>> = {
  invalid_webhook_signature: 'invalid_signature',
  own_verification: 'separation_of_duties',
};

/** The code as clients see it in `error`. */
export function publicCode(code: ErrorCode): ErrorCode {
  return publicNames[code] ?? code;
}
