/**
 * One fault: clients send actions before, during and after it. Every response must match the OpenAPI document and come
 * in time, and afterwards the store must hold everything that was acknowledged.
 */
import { expect } from 'bun:test';
import { createRandom } from '#evals/random.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { startClients } from '#test/workload/clients.ts';
import { expectAtRest } from '#test/workload/expect-at-rest.ts';
import { expectKept } from '#test/workload/expect-kept.ts';
import type { HubUnderTest } from '#test/workload/hub-under-test.ts';
import { request, type RequestOptions } from '#test/workload/request.ts';
import { createWitness, type Outcome, type Witness } from '#test/workload/witness.ts';
import type { Fault } from './faults.ts';

/** This is not a load test. */
const clientPauseMs = 100;
const groupsOfMix = {
  few: { count: 6, pauseMs: clientPauseMs },
  // A run takes a while, and all runs must be over soon after the fault.
  runs: { count: 1, pauseMs: 1_000 },
  offices: { count: 2, pauseMs: clientPauseMs },
  threads: { count: 2, pauseMs: clientPauseMs },
} as const;
/** The store gives up after 8 seconds, and requests wait up to 2 for each other dependency. The rest is for a busy machine. */
const responseMaxMs = 14_000;
const beforeMs = 300;
const usualDurationMs = 1_500;
/** The aim is 5 seconds; the rest is for a busy machine. */
const recoveryMaxMs = 60_000;
/** An action whose first request died holds its key for 30 seconds and is given up. */
const lastResponsesMs = 4_000;
/** A delivery that a busy receiver missed twice is sent again after 25 seconds. */
const restMaxMs = 90_000;

/** @param earlier outcomes of previous faults on this hub, which this fault must not undo; extended by its own */
export async function runFault(
  hub: HubUnderTest,
  { disturbance, refusals, durationMs = usualDurationMs, mustRefuse, mixes = ['few'] }: Fault,
  seed: string,
  earlier: Outcome[],
) {
  const { name } = disturbance;
  const { url, population } = hub;
  const witness = createWitness(responseMaxMs);
  const tag = `f${createRandom(seed, name).int(0, 1e9).toString(36)}-`;
  const groups = mixes.map((mix) => ({ mix, ...groupsOfMix[mix] }));
  const clients = startClients({ urls: [url], groups, seed, tag, population, witness });
  const over = new AbortController();
  const reader = readBalances(hub, witness, over.signal);
  let end: (() => Promise<void>) | null = null;
  try {
    await Bun.sleep(beforeMs);
    end = await disturbance.start(hub);
    await Bun.sleep(durationMs);
    // On a busy machine it may take longer until a request meets the fault.
    if (mustRefuse !== undefined) await waitUntil(async () => mustRefuse in witness.refused);
    await end();
    end = null;
    const recoveredAfterMs = await timeRecovery(hub, witness);
    over.abort();
    await clients.end(lastResponsesMs);
    await reader;
    earlier.push(...witness.outcomes);
    expect(witness.unexpected(refusals)).toEqual([]);
    const endedAt = performance.now();
    await expectAtRest(hub.store.db, restMaxMs);
    const atRestAfterMs = Math.round(performance.now() - endedAt);
    await expectKept(hub.store.db, earlier);
    const { responses, refused, slowestMs, acknowledged } = witness;
    return { fault: name, responses, refused, slowestMs, acknowledged, recoveredAfterMs, atRestAfterMs };
  } finally {
    over.abort();
    await end?.();
    await Promise.allSettled([clients.end(0), reader]);
  }
}

async function ask(
  { url }: HubUnderTest,
  witness: Witness,
  path: string,
  options: RequestOptions,
): Promise<boolean> {
  const method = options.json === undefined ? 'GET' : 'POST';
  try {
    return (await request(witness, url, method, path, options)).status < 300;
  } catch (error) {
    witness.report(`${method} ${path} got no response: ${String(error)}`);
    return false;
  }
}

async function readBalances(hub: HubUnderTest, witness: Witness, over: AbortSignal): Promise<void> {
  const { agents } = hub.population;
  for (let turn = 0; !over.aborted; turn += 1) {
    const token = agents[turn % agents.length]!.bearerToken;
    await ask(hub, witness, '/v1/tokens/balance', { token });
    await Bun.sleep(clientPauseMs);
  }
}

async function timeRecovery(hub: HubUnderTest, witness: Witness): Promise<number> {
  const startedAt = performance.now();
  await waitUntil(() => servesAll(hub, witness), recoveryMaxMs, 'The hub has recovered.');
  return Math.round(performance.now() - startedAt);
}

async function servesAll(hub: HubUnderTest, witness: Witness): Promise<boolean> {
  const { maintainer, eventIds } = hub.population;
  const token = maintainer.bearerToken;
  const key = `probe-${crypto.randomUUID()}`;
  if (!(await ask(hub, witness, '/v1/tokens/balance', { token }))) return false;
  const thread = { title: key, body: 'A probe.' };
  if (!(await ask(hub, witness, '/v1/threads', { token, json: thread }))) return false;
  // The refusal of a sold-out event shows as well that seats are served.
  const before = { ...witness.refused };
  const json = { idempotency_key: key };
  await ask(hub, witness, `/v1/events/${eventIds[0]}/reserve`, { token, json });
  return ['queue_unavailable', 'database_unavailable', 'undefined'].every(
    (code) => witness.refused[code] === before[code],
  );
}
