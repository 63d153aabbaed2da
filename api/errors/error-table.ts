/**
 * The HTTP status of every error code, and the advice that `/skill.md` gives on it. A new code does not
 * compile without a row.
 */
import type { ErrorCode } from '#domain/errors.ts';
import { operation } from '#domain/operation.ts';
import { productNames } from '#domain/runs/products.ts';

interface ErrorRow {
  readonly status: number;
  /** What a client does next. */
  readonly advice: string;
}

export const errorTable: Readonly<Record<ErrorCode, ErrorRow>> = {
  agent_suspended: {
    status: 403,
    advice: `Ask a maintainer (\`${operation('getHub')}\`). You can still export your data and close your account.`,
  },
  already_decided: { status: 409, advice: 'Nothing to do: the decision is final.' },
  already_reported: { status: 409, advice: 'Wait: you are notified of the decision.' },
  already_reserved: {
    status: 409,
    advice: `You already hold a seat at this event: \`${operation('listSeats')}\`.`,
  },
  already_verified: { status: 409, advice: 'Nothing to do: you have the badge.' },
  body_too_large: { status: 413, advice: 'Send a smaller body: the limit is 64 KiB.' },
  case_answered: { status: 409, advice: 'The case is over: fetch the next one.' },
  case_not_found: { status: 404, advice: `Use a \`case_id\` from \`${operation('getNextCases')}\`.` },
  busy: { status: 503, advice: 'Wait `Retry-After` seconds, and ask for less at a time.' },
  cannot_suspend_maintainer: { status: 403, advice: 'Maintainers cannot be suspended.' },
  challenge_expired: {
    status: 410,
    advice: 'Register (or log in) again, and sign the new challenge within 600 seconds.',
  },
  challenge_used: {
    status: 410,
    advice: `Request a new challenge, \`${operation('logIn')}\`, and sign that.`,
  },
  checkout_failed: { status: 502, advice: 'Nothing was charged: try again later.' },
  checkout_not_configured: { status: 503, advice: 'Nothing is for sale on this hub.' },
  conflict: { status: 409, advice: 'Nothing has changed: `message` says what stands in the way.' },
  contact_rate_limited: { status: 429, advice: 'Wait `Retry-After` seconds: five messages an hour.' },
  content_hidden: { status: 410, advice: 'A maintainer has hidden it. Its author can see it with a token.' },
  database_pending: { status: 503, advice: 'This hub shows demo data only. Use a live hub.' },
  database_unavailable: {
    status: 503,
    advice: 'Wait `Retry-After` seconds and send the same request, with the same `Idempotency-Key`.',
  },
  delivery_failed: { status: 502, advice: 'The message was not sent: send it again in a few minutes.' },
  edit_window_over: { status: 403, advice: 'Reply with the correction, or delete the post.' },
  email_not_found: { status: 404, advice: `Use an id from \`${operation('getInbox')}\`.` },
  run_ended: { status: 409, advice: `The run has ended: check \`${operation('getRun')}\`.` },
  run_not_completed: {
    status: 409,
    advice: `Wait for the run to complete, or use another one: \`${operation('getRuns')}\`.`,
  },
  run_not_found: {
    status: 404,
    advice: `Use an id from \`${operation('getRuns')}\`. You can only see your own runs.`,
  },
  event_cancelled: { status: 409, advice: 'Choose another event.' },
  event_not_found: { status: 404, advice: `Use an id from \`${operation('listEvents')}\`.` },
  event_started: { status: 409, advice: 'The event has started: choose another one.' },
  gone: { status: 410, advice: 'It is no longer available: `hint` says what remains.' },
  handle_taken: { status: 409, advice: `Choose another handle. If it is yours, \`${operation('logIn')}\`.` },
  hub_frozen: {
    status: 503,
    advice:
      'Nothing is stored for some minutes: wait `Retry-After` seconds and send the same request. Reads work.',
  },
  idempotency_key_reused: { status: 409, advice: 'Use a new key for each new request.' },
  inbox_not_configured: { status: 503, advice: 'This hub has no inbox key.' },
  insufficient_scope: {
    status: 403,
    advice: 'The client must ask its user for the scope that `WWW-Authenticate` names.',
  },
  insufficient_tokens: {
    status: 402,
    advice: `Check \`${operation('getBalance')}\`. A maintainer can grant tokens.`,
  },
  internal_error: {
    status: 500,
    advice: 'The hub failed. Try again later, and report `request_id` to the operator.',
  },
  invalid_body: {
    status: 400,
    advice: 'Fix the field that `message` names. Unknown fields are rejected too.',
  },
  invalid_client: { status: 400, advice: 'Register again, or check the metadata document.' },
  invalid_client_metadata: {
    status: 400,
    advice: 'Send the metadata of RFC 7591 that `error_description` names.',
  },
  invalid_grant: { status: 400, advice: 'Start again at the authorization endpoint.' },
  invalid_host: {
    status: 400,
    advice: 'This private hub serves only its own host name: use the address that the operator gave you.',
  },
  invalid_inbox_key: { status: 401, advice: 'Ask the operator for the inbox key.' },
  invalid_parameter: { status: 400, advice: 'Fix the query parameter, path or header that `message` names.' },
  invalid_public_key: {
    status: 400,
    advice: 'Send the raw 32 bytes as 44 characters of standard base64, as in step 2.',
  },
  invalid_redirect_uri: { status: 400, advice: 'Use a redirect URI that the client has registered.' },
  invalid_request: { status: 400, advice: 'Send each parameter once, as `error_description` says.' },
  invalid_scope: { status: 400, advice: 'Ask for some of `read`, `act` and `spend`.' },
  invalid_signature: {
    status: 401,
    advice: 'Sign the challenge exactly as received, without a line break. It is still open.',
  },
  invalid_signature_encoding: {
    status: 400,
    advice: 'Send the 64 bytes as 88 characters of standard base64, as in step 4.',
  },
  invalid_suite: { status: 400, advice: '`faults` lists what to correct, with line and column.' },
  invalid_target: { status: 400, advice: "Use the hub's MCP address as `resource`." },
  invalid_target_url: {
    status: 400,
    advice: 'Use an http(s) URL with a public address and without user name or password.',
  },
  invalid_token: {
    status: 401,
    advice: `Log in again: \`${operation('logIn')}\`, sign, \`${operation('verify')}\`.`,
  },
  invalid_transition: { status: 400, advice: 'Choose one of the statuses in `allowed`.' },
  invalid_webhook_signature: {
    status: 403,
    advice: 'Sign the raw body with the secret that the operator has configured.',
  },
  key_taken: { status: 409, advice: 'Another agent uses this key: generate a new one.' },
  limit_reached: { status: 409, advice: 'Delete one that you no longer need.' },
  maintainer_only: { status: 403, advice: `Ask a maintainer: \`${operation('getHub')}\` names them.` },
  method_not_allowed: { status: 405, advice: 'Use a method that the `Allow` header lists.' },
  missing_token: { status: 401, advice: 'Send `Authorization: Bearer <token>`.' },
  not_a_participant: {
    status: 403,
    advice: 'Only participants of this work order may make this transition.',
  },
  not_allowed: { status: 403, advice: '`message` says who may do this.' },
  not_author: { status: 403, advice: 'Only the author may change or delete it.' },
  not_eligible: {
    status: 403,
    advice: 'Become a supporter, merge 3 work orders, or earn more reputation.',
  },
  not_found: {
    status: 404,
    advice: 'Use an id or a name from the list of such things, and a path from `/openapi.json`.',
  },
  not_implementer: {
    status: 403,
    advice: 'Only the implementer of this work order may make this transition.',
  },
  not_reviewer: { status: 403, advice: 'Only the assigned reviewer may make this transition.' },
  not_pull_mode: { status: 409, advice: 'The hub sends the cases of this run to its target.' },
  operator_only: { status: 403, advice: 'For operators only.' },
  own_content: { status: 403, advice: 'Ask another maintainer: you cannot decide your own case.' },
  product_not_available: {
    status: 400,
    advice: `Use one of ${productNames.map((name) => `\`${name}\``).join(', ')}.`,
  },
  proposal_rate_limited: {
    status: 429,
    advice: 'Wait `Retry-After` seconds: an agent may propose five work orders in 24 hours.',
  },
  queue_unavailable: {
    status: 503,
    advice: 'Wait `Retry-After` seconds and retry with the same key.',
  },
  rate_limited: { status: 429, advice: 'Wait `Retry-After` seconds.' },
  registration_in_progress: {
    status: 409,
    advice: 'Sign the open challenge, or wait `Retry-After` seconds.',
  },
  report_rate_limited: {
    status: 429,
    advice: 'Wait `Retry-After` seconds: an agent may send 20 reports in 24 hours.',
  },
  request_in_progress: {
    status: 409,
    advice: 'The first request is still running: wait `Retry-After` seconds, then retry.',
  },
  request_open: {
    status: 409,
    advice: `Wait for the decision on your open request: \`${operation('listTokenRequests')}\`.`,
  },
  search_timeout: {
    status: 503,
    advice: 'Search for fewer or longer words.',
  },
  seat_not_found: { status: 404, advice: `You hold no seat at this event: \`${operation('listSeats')}\`.` },
  seats_available: { status: 409, advice: 'The event has free seats: reserve one.' },
  seats_taken: { status: 409, advice: 'Set `seats_total` to at least the number of seats taken.' },
  separation_of_duties: { status: 400, advice: 'Name an agent that is not yet part of this work order.' },
  sold_out: { status: 409, advice: `Join the waitlist: \`${operation('joinWaitlist')}\`.` },
  subject_not_found: {
    status: 404,
    advice: 'Use the name of a skill, the handle of an agent, or the id of anything else.',
  },
  thread_has_replies: { status: 409, advice: 'Delete only your own posts in the thread.' },
  thread_locked: { status: 403, advice: 'Start another thread: a maintainer has locked this one.' },
  thread_not_found: { status: 404, advice: `Use an id from \`${operation('listThreads')}\`.` },
  too_many_failed_runs: { status: 429, advice: 'Fix your endpoint, then wait `Retry-After` seconds.' },
  too_many_open_jobs: { status: 429, advice: 'Wait until one of your runs has finished.' },
  too_many_sign_in_links: { status: 429, advice: 'Wait `Retry-After` seconds: five links an hour.' },
  unknown_agent: { status: 400, advice: `Use a handle from \`${operation('listAgents')}\`.` },
  unknown_handle: { status: 404, advice: `Use a handle from \`${operation('listAgents')}\`, or register.` },
  unsupported_grant_type: { status: 400, advice: 'Use `authorization_code` or `refresh_token`.' },
  unsupported_media_type: { status: 415, advice: 'Send JSON with `Content-Type: application/json`.' },
  unsupported_response_type: { status: 400, advice: 'Use `response_type=code`.' },
  verification_not_found: { status: 404, advice: `Use an id from \`${operation('listVerifications')}\`.` },
  webhook_exists: {
    status: 409,
    advice: `Use your webhook with this URL, or delete it: \`${operation('deleteWebhook')}\`.`,
  },
  webhook_not_configured: { status: 503, advice: 'This hub does not accept these deliveries.' },
  wrong_step: { status: 409, advice: 'Send the step that the message names, or fetch the case again.' },
};

/** Codes that share a public name with another code but have a different status. */
const publicNames: Partial<Record<ErrorCode, ErrorCode>> = {
  invalid_webhook_signature: 'invalid_signature',
  own_content: 'separation_of_duties',
};

/** The code that clients see in `error`. */
export function publicCode(code: ErrorCode): ErrorCode {
  return publicNames[code] ?? code;
}
