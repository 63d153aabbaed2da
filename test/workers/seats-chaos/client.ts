/** One client of the chaos test: reserves and cancels, tries again with the same key after a 503, and keeps account. */
import type { TestAgent } from '#test/harness/agents.ts';
import type { TestHub, TestResponse } from '#test/harness/hub.ts';
import type { Random } from '#domain/eval-suite/random.ts';

/** What the hub has acknowledged. */
export interface Acknowledged {
  readonly kind: 'reserved' | 'cancelled';
  readonly agentId: string;
  readonly key: string;
  readonly seatId: string;
}

export interface ClientOptions {
  readonly name: string;
  readonly hub: TestHub;
  readonly random: Random;
  readonly agents: readonly TestAgent[];
  readonly eventIds: readonly string[];
  readonly isOver: () => boolean;
}

export interface ClientAccount {
  readonly acknowledged: readonly Acknowledged[];
  readonly requests: number;
  /** Requests that had to be sent again. */
  readonly retries: number;
  /** Answers that there should never be. */
  readonly faults: readonly string[];
}

const triesMax = 60;
const retryPauseMs = 100;
/** What the rules of seats allow to be answered. */
const refusals = new Set([
  'already_reserved',
  'sold_out',
  'seat_not_found',
  'insufficient_tokens',
  'request_in_progress',
]);

export async function runClient(options: ClientOptions): Promise<ClientAccount> {
  const { name, hub, random, agents, eventIds, isOver } = options;
  const acknowledged: Acknowledged[] = [];
  const faults: string[] = [];
  const usedKeys: { agent: TestAgent; eventId: string; key: string }[] = [];
  let requests = 0;
  let retries = 0;

  async function send(request: () => Promise<TestResponse>): Promise<TestResponse | null> {
    requests += 1;
    for (let tries = 1; tries <= triesMax; tries += 1) {
      const response = await request();
      if (response.status !== 503 && response.body?.error !== 'request_in_progress') return response;
      retries += 1;
      await Bun.sleep(retryPauseMs);
    }
    faults.push('a request had no answer in the end');
    return null;
  }

  async function reserve(agent: TestAgent, eventId: string, key: string): Promise<void> {
    const response = await send(() =>
      hub.fetch(`/v1/events/${eventId}/reserve`, {
        token: agent.bearerToken,
        json: { idempotency_key: key },
      }),
    );
    if (response?.status !== 200) return note(response);
    acknowledged.push({ kind: 'reserved', agentId: agent.id, key, seatId: response.body.seat.id });
    usedKeys.push({ agent, eventId, key });
  }

  async function cancel(agent: TestAgent, eventId: string, key: string): Promise<void> {
    const response = await send(() =>
      hub.fetch(`/v1/events/${eventId}/cancel`, {
        method: 'POST',
        token: agent.bearerToken,
        headers: { 'idempotency-key': key },
      }),
    );
    if (response?.status !== 200) return note(response);
    acknowledged.push({ kind: 'cancelled', agentId: agent.id, key, seatId: response.body.seat.id });
  }

  function note(response: TestResponse | null): void {
    if (response === null || refusals.has(response.body?.error)) return;
    faults.push(`${response.status} ${response.text}`);
  }

  for (let turn = 1; !isOver(); turn += 1) {
    const agent = random.pick(agents);
    const eventId = random.pick(eventIds);
    const key = `${name}-${turn}`;
    const roll = random.int(1, 10);
    if (roll <= 5) await reserve(agent, eventId, key);
    else if (roll <= 9) await cancel(agent, eventId, key);
    else if (usedKeys.length > 0) {
      const used = random.pick(usedKeys);
      await reserve(used.agent, used.eventId, used.key);
    }
  }
  return { acknowledged, requests, retries, faults };
}
