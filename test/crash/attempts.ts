/** What clients want done while the hub crashes: each is a request with a mark that is found again in what it made. */
import { Webhook } from 'standardwebhooks';
import type { Random } from '#domain/eval-suite/random.ts';
import type { TestAgent } from '#test/harness/agents.ts';

export type AttemptKind =
  | 'thread'
  | 'reply'
  | 'skill'
  | 'grant'
  | 'redemption'
  | 'reservation'
  | 'cancellation'
  | 'email';

export interface Attempt {
  readonly kind: AttemptKind;
  /** Unique among all attempts. */
  readonly mark: string;
  readonly agent: TestAgent;
  readonly path: string;
  readonly headers: () => Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

export interface Surroundings {
  readonly agents: readonly TestAgent[];
  readonly maintainer: TestAgent;
  readonly eventIds: readonly string[];
  /** Office hours, whose hosts get a mail for each seat; there may be none. */
  readonly officeIds: readonly string[];
  /** Replies go here. */
  readonly threadIds: readonly string[];
  readonly targetOrigin: string;
  readonly inboundMailSecret: string;
}

/**
 * What clients of each sort want, kinds that are wanted more often more than once. Seats are wanted by clients of their own,
 * which have to wait for workers, and so are runs, of which each is 40 calls.
 */
const wishes = {
  few: ['thread', 'thread', 'reservation', 'reservation', 'cancellation', 'grant'],
  seats: ['reservation', 'reservation', 'cancellation'],
  offices: ['reservation', 'cancellation'],
  runs: ['redemption'],
  writes: ['thread', 'thread', 'reply', 'reply', 'reply', 'skill', 'grant', 'grant', 'email', 'email'],
} as const satisfies Record<string, readonly AttemptKind[]>;

export type ClientSort = keyof typeof wishes;

const bookingCount = 4;

export function drawAttempt(sort: ClientSort, random: Random, mark: string, around: Surroundings): Attempt {
  // Few enough of them that who cancels a place often has it, so that the next can be booked.
  const booking = { ...around, eventIds: around.officeIds, agents: around.agents.slice(0, bookingCount) };
  return makeAttempt(
    random.pick<AttemptKind>(wishes[sort]),
    random,
    mark,
    sort === 'offices' ? booking : around,
  );
}

function makeAttempt(kind: AttemptKind, random: Random, mark: string, around: Surroundings): Attempt {
  const agent = kind === 'grant' ? around.maintainer : random.pick(around.agents);
  const eventId = random.pick(around.eventIds);
  const post = (path: string, body?: unknown): Attempt => {
    const json = body === undefined ? {} : { 'content-type': 'application/json' };
    const headers = { authorization: `Bearer ${agent.bearerToken}`, 'idempotency-key': mark, ...json };
    return { kind, mark, agent, path, headers: () => headers, body: body && JSON.stringify(body) } as Attempt;
  };
  switch (kind) {
    case 'thread':
      return post('/v1/threads', { title: mark, body: 'Does it hold?' });
    case 'reply':
      return post(`/v1/threads/${random.pick(around.threadIds)}/posts`, { body: mark });
    case 'skill':
      return post('/v1/skills', {
        name: mark,
        description: 'Holds on.',
        repo_url: 'https://skills.example/hold',
      });
    case 'grant':
      return post('/v1/tokens/grants', {
        handle: random.pick(around.agents).handle,
        amount: random.int(1, 5),
        reason: 'For holding on',
        reference: mark,
      });
    case 'redemption':
      return post('/v1/redemptions', { product: 'eval-run', target_url: `${around.targetOrigin}/${mark}` });
    case 'reservation':
      return post(`/v1/events/${eventId}/reserve`, { idempotency_key: mark });
    case 'cancellation':
      return post(`/v1/events/${eventId}/cancel`);
    case 'email':
      return emailAttempt(mark, agent, around.inboundMailSecret);
  }
}

/** Signed anew for each try, as the signature says when. */
function emailAttempt(mark: string, agent: TestAgent, secret: string): Attempt {
  const body = `From: someone@example.org\r\nTo: hub@example.org\r\nSubject: Hold on\r\nMessage-ID: <${mark}@example.org>\r\n\r\nDo you?\r\n`;
  const headers = (): Record<string, string> => {
    const now = new Date();
    return {
      'content-type': 'message/rfc822',
      'webhook-id': mark,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
      'webhook-signature': new Webhook(secret).sign(mark, now, body),
    };
  };
  return { kind: 'email', mark, agent, path: '/api/inbound/mail', headers, body };
}
