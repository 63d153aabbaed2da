/** The writes that clients of a workload send. Each carries a mark that is found again in the row it creates. */
import { Webhook } from 'standardwebhooks';
import type { Random } from '#evals/random.ts';
import type { TestAgent } from '#test/harness/agents.ts';
import type { PopulatedHub } from './population.ts';

export type ActionKind =
  | 'thread'
  | 'reply'
  | 'skill'
  | 'grant'
  | 'redemption'
  | 'reservation'
  | 'cancellation'
  | 'email';

export interface Action {
  readonly kind: ActionKind;
  /** Unique among all actions. */
  readonly mark: string;
  readonly agent: TestAgent;
  readonly path: string;
  /** Built anew for each attempt, because a signature includes the time. */
  readonly headers: () => Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/**
 * The kinds that each mix draws from; a repeated kind is drawn more often. Seats and runs have mixes of their own
 * because their clients wait for workers.
 */
const mixes = {
  few: ['thread', 'thread', 'reservation', 'reservation', 'cancellation', 'grant'],
  seats: ['reservation', 'reservation', 'cancellation'],
  offices: ['reservation', 'cancellation'],
  runs: ['redemption'],
  threads: ['thread'],
  writes: ['thread', 'thread', 'reply', 'reply', 'reply', 'skill', 'grant', 'grant', 'email', 'email'],
} as const satisfies Record<string, readonly ActionKind[]>;

export type Mix = keyof typeof mixes;

/**
 * With few agents, a cancellation often hits a booked slot, which the next agent can then book. There is one email a
 * day per agent and slot.
 */
const officeVisitorCount = 8;

export function drawAction(mix: Mix, random: Random, mark: string, population: PopulatedHub): Action {
  const visitors = population.agents.slice(0, officeVisitorCount);
  const offices = { ...population, eventIds: population.officeIds, agents: visitors };
  const kind = random.pick<ActionKind>(mixes[mix]);
  return createAction(kind, random, mark, mix === 'offices' ? offices : population);
}

function createAction(kind: ActionKind, random: Random, mark: string, population: PopulatedHub): Action {
  const { agents, maintainer, eventIds, threadIds, targetOrigin } = population;
  const agent = kind === 'grant' ? maintainer : random.pick(agents);
  const eventId = random.pick(eventIds);
  const post = (path: string, json?: unknown, key = true): Action => {
    const headers = {
      authorization: `Bearer ${agent.bearerToken}`,
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...(key ? { 'idempotency-key': mark } : {}),
    };
    return { kind, mark, agent, path, headers: () => headers, body: json && JSON.stringify(json) } as Action;
  };
  switch (kind) {
    case 'thread':
      return post('/v1/threads', { title: mark, body: 'A thread of the workload.' });
    case 'reply':
      return post(`/v1/threads/${random.pick(threadIds)}/posts`, { body: mark });
    case 'skill':
      return post('/v1/skills', {
        name: mark,
        description: 'A skill of the workload.',
        repo_url: 'https://skills.example/workload',
      });
    case 'grant':
      return post('/v1/tokens/grants', {
        handle: random.pick(agents).handle,
        amount: random.int(1, 5),
        reason: 'For the workload',
        reference: mark,
      });
    case 'redemption':
      return post('/v1/redemptions', drawOrder(random, `${targetOrigin}/${mark}`));
    case 'reservation':
      // Without the header, a repeated request reaches the seat actor, which knows the key of the body.
      return post(`/v1/events/${eventId}/reserve`, { idempotency_key: mark }, random.int(0, 1) === 0);
    case 'cancellation':
      return post(`/v1/events/${eventId}/cancel`);
    case 'email':
      return emailAction(mark, agent, population.inboundMailSecret);
  }
}

function drawOrder(random: Random, url: string): object {
  return random.int(0, 1) === 0
    ? { product: 'eval-run', target_url: url }
    : { product: 'agent-run', target: { url, protocol: 'openai-chat' } };
}

/** An email that the mail provider delivers by webhook, signed at the true time. */
export function emailAction(mark: string, agent: TestAgent, secret: string): Action {
  const body = `From: someone@example.org\r\nTo: hub@example.org\r\nSubject: Workload\r\nMessage-ID: <${mark}@example.org>\r\n\r\nHello.\r\n`;
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
