/** Hears every answer that a hub gives during a fault, and asks for things itself to see when all goes on. */
import { createHearing } from '#test/harness/hearing.ts';
import type { FaultWorld } from './world.ts';

/** The store gives up after 8 seconds, and nothing waits for longer than 2 before it is asked. The rest is for a busy machine. */
const answerMaxMs = 14_000;
/** Refusals of the rules themselves, and of a key whose first request is still under way. */
const ordinary = new Set([
  'already_reserved',
  'sold_out',
  'seat_not_found',
  'insufficient_tokens',
  'request_in_progress',
]);

export function createWitness({ url, around }: FaultWorld) {
  const hearing = createHearing(answerMaxMs);

  /** @returns whether it was done */
  async function ask(method: string, path: string, init: RequestInit): Promise<boolean> {
    const startedAt = performance.now();
    try {
      const response = await fetch(url + path, {
        ...init,
        method,
        signal: AbortSignal.timeout(2 * answerMaxMs),
      });
      hearing.hear(method, path, response, await response.text(), performance.now() - startedAt);
      return response.ok;
    } catch (error) {
      hearing.complain(`${method} ${path} has no answer: ${String(error)}`);
      return false;
    }
  }

  const as = (agent: { readonly bearerToken: string }): Record<string, string> => ({
    authorization: `Bearer ${agent.bearerToken}`,
    'content-type': 'application/json',
  });

  /** A new thread, a seat that is given back, and a balance. */
  async function isAllServed(): Promise<boolean> {
    const headers = as(around.maintainer);
    const eventId = around.eventIds[0]!;
    const key = `probe-${crypto.randomUUID()}`;
    if (!(await ask('GET', '/v1/tokens/balance', { headers }))) return false;
    const thread = JSON.stringify({ title: key, body: 'Is it well?' });
    if (!(await ask('POST', '/v1/threads', { headers, body: thread }))) return false;
    // Any answer of the seats will do: an event that is sold out has been asked.
    const before = { ...hearing.refused };
    await ask('POST', `/v1/events/${eventId}/reserve`, {
      headers,
      body: JSON.stringify({ idempotency_key: key }),
    });
    return ['queue_unavailable', 'database_unavailable', 'undefined'].every(
      (code) => hearing.refused[code] === before[code],
    );
  }

  return {
    hear: hearing.hear,
    readBalance: (turn: number): Promise<boolean> =>
      ask('GET', '/v1/tokens/balance', { headers: as(around.agents[turn % around.agents.length]!) }),
    timeRecovery: async (withinMs: number): Promise<number> => {
      const startedAt = performance.now();
      while (!(await isAllServed())) {
        if (performance.now() - startedAt > withinMs)
          throw new Error(`The hub did not recover in ${withinMs} ms.`);
        await Bun.sleep(50);
      }
      return Math.round(performance.now() - startedAt);
    },
    /** What no fault excuses, save for these refusals. */
    faults: (excused: readonly string[]): readonly string[] => {
      const { broken, refused } = hearing;
      const unexcused = Object.keys(refused).filter((code) => !ordinary.has(code) && !excused.includes(code));
      return [...broken, ...unexcused.map((code) => `${refused[code]} times ${code}`)];
    },
    counts: () => {
      const { answers, refused, slowestMs } = hearing;
      return { answers, refused: { ...refused }, slowestMs };
    },
  };
}
