/**
 * One fault: clients go on asking before, during and after it, each answer is held to the hub's document and to its time,
 * and afterwards the store is looked through for everything that was acknowledged.
 */
import { expect } from 'bun:test';
import { createRandom } from '#domain/eval-suite/random.ts';
import { drawAttempt } from '#test/crash/attempts.ts';
import { type Outcome, runClient } from '#test/crash/client.ts';
import { expectAtRest } from '#test/crash/expect-at-rest.ts';
import { expectKept } from '#test/crash/expect-kept.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import type { Fault } from './fault.ts';
import { createWitness } from './witness.ts';
import type { FaultWorld } from './world.ts';

export interface FaultReport {
  readonly fault: string;
  readonly answers: number;
  readonly refused: Readonly<Record<string, number>>;
  readonly slowestMs: number;
  readonly acknowledged: number;
  /** From the end of the fault until a thread, a seat and a balance are had again, one after the other. */
  readonly recoveredAfterMs: number;
}

const clientCount = 6;
/** Clients are no load test. */
const clientPauseMs = 40;
const beforeMs = 300;
const usuallyLastsMs = 1_500;
/** The aim is 5 seconds; the rest is for a busy machine. */
const recoveryMaxMs = 30_000;
/** For what was asked during the fault. A key whose request died in it is held for half a minute: that is given up. */
const lastAnswersMs = 4_000;
const restMaxMs = 30_000;

/** Outcomes of the faults before this one on the same hub count as well, as it must not undo them. */
export async function runFault(
  world: FaultWorld,
  fault: Fault,
  seed: string,
  earlier: Outcome[],
): Promise<FaultReport> {
  const witness = createWitness(world);
  const over = new AbortController();
  let givenUpAt = Number.POSITIVE_INFINITY;
  const id = createRandom(seed, fault.name).int(0, 1e9).toString(36);
  const clients = Array.from({ length: clientCount }, (_, index) => {
    const random = createRandom(seed, `${fault.name} ${index}`);
    return runClient({
      urls: [world.url],
      draw: (turn) => drawAttempt('few', random, `f${id}-${index}-${turn}`, world.around),
      isOver: () => over.signal.aborted,
      isGivenUp: () => performance.now() > givenUpAt,
      pauseMs: clientPauseMs,
      onAnswer: ({ path }, response, text, tookMs) => witness.hear('POST', path, response, text, tookMs),
    });
  });
  const reader = (async () => {
    for (let turn = 0; !over.signal.aborted; turn += 1) {
      await witness.readBalance(turn);
      await Bun.sleep(clientPauseMs);
    }
  })();
  let mend: (() => Promise<void>) | null = null;
  try {
    await Bun.sleep(beforeMs);
    mend = await fault.strike(world);
    await Bun.sleep(fault.lastsMs ?? usuallyLastsMs);
    const { mustRefuse } = fault;
    // On a busy machine it may be longer until somebody comes upon the fault.
    if (mustRefuse !== undefined) await waitUntil(async () => mustRefuse in witness.counts().refused);
    await mend();
    mend = null;
    const recoveredAfterMs = await witness.timeRecovery(recoveryMaxMs);
    over.abort();
    givenUpAt = performance.now() + lastAnswersMs;
    const reports = await Promise.all(clients);
    await reader;
    const outcomes = reports.flatMap((report) => report.outcomes);
    earlier.push(...outcomes);
    expect(witness.faults(fault.refusals)).toEqual([]);
    expect(reports.flatMap(({ faults }) => faults)).toEqual([]);
    await expectAtRest(world.store.db, restMaxMs);
    await expectKept(world.store.db, earlier);
    return {
      fault: fault.name,
      ...witness.counts(),
      acknowledged: outcomes.filter(({ answer }) => answer !== null && answer.status < 300).length,
      recoveredAfterMs,
    };
  } finally {
    over.abort();
    givenUpAt = 0;
    await mend?.();
    await Promise.allSettled([...clients, reader]);
  }
}
