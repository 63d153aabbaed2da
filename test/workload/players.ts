/**
 * Agents that take runs in pull mode: they fetch cases and tasks, answer, and repeat each request unchanged until it
 * gets a response. At the end, their responses are compared with the store.
 */
import { expect } from 'bun:test';
import { asc, eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { handOutsMax } from '#domain/runs/pull/pull-run.ts';
import type { WeekCall } from '#evals/week/week.ts';
import { callsIn, look, taskCount } from '#test/harness/agent-runs.ts';
import type { TestAgent } from '#test/harness/agents.ts';
import { request, type RequestOptions } from './request.ts';
import type { Reply, Witness } from './witness.ts';

export interface PlayersOptions {
  readonly db: Database;
  /** API processes. A player moves to the next one when a connection breaks. */
  readonly urls: readonly string[];
  /** Each takes one run after the other: the even ones `eval-run`, the odd ones `agent-run`. */
  readonly agents: readonly TestAgent[];
  readonly pauseMs: number;
  readonly witness: Witness;
}

export interface Players {
  /** Lets every player end its run, and compares the runs with the store. */
  end(): Promise<PlayedRuns>;
}

export interface PlayedRuns {
  readonly evalRuns: number;
  readonly agentRuns: number;
  /** Cases whose fetch got no response twice. */
  readonly unanswered: number;
}

const retryPauseMs = 100;
/** An earlier attempt, whose process may have died, holds its key for up to 30 seconds. */
const heldKeyPauseMs = 1_000;
const retriesMax = 3_000;

export function startPlayers({ agents, ...options }: PlayersOptions): Players {
  const over = { isOver: false };
  const running = agents.map((agent, index) => play({ ...options, agent, index, over }));
  // A player that fails early is reported at the end.
  for (const one of running) one.catch(() => undefined);
  return {
    end: async () => {
      over.isOver = true;
      const played = (await Promise.all(running)).flat();
      const checked = [];
      for (const run of played) checked.push(await run.check());
      return {
        evalRuns: played.filter(({ kind }) => kind === 'eval-run').length,
        agentRuns: played.filter(({ kind }) => kind === 'agent-run').length,
        unanswered: checked.reduce((sum, count) => sum + count, 0),
      };
    },
  };
}

interface PlayedRun {
  readonly kind: 'eval-run' | 'agent-run';
  /** @returns how many of its cases were lost on the way to the player */
  check(): Promise<number>;
}

interface PlayerOptions extends Omit<PlayersOptions, 'agents'> {
  readonly agent: TestAgent;
  readonly index: number;
  readonly over: { readonly isOver: boolean };
}

async function play(options: PlayerOptions): Promise<PlayedRun[]> {
  const { index, over, pauseMs } = options;
  const ask = createAsk(options);
  const played: PlayedRun[] = [];
  for (let turn = 1; !over.isOver; turn += 1) {
    const mark = `player${index}-${turn}`;
    played.push(await (index % 2 === 0 ? playEvalRun : playAgentRun)(options, ask, mark));
    await Bun.sleep(pauseMs);
  }
  return played;
}

/** The hub's response to a request that it accepted. */
type Ask = (method: string, path: string, json?: object, key?: string) => Promise<Json>;
// oxlint-disable-next-line typescript/no-explicit-any -- a check that expects a field fails if it is not there
type Json = any;

function createAsk({ urls, agent, index, witness }: PlayerOptions): Ask {
  let urlIndex = index;
  return async (method, path, json, key) => {
    const options: RequestOptions = {
      token: agent.bearerToken,
      json,
      ...(key === undefined ? {} : { headers: { 'idempotency-key': key } }),
    };
    let reply: Reply | null = null;
    for (let attempt = 0; attempt < retriesMax; attempt += 1) {
      const url = urls[urlIndex % urls.length]!;
      reply = await request(witness, url, method, path, options).catch(() => null);
      if (reply !== null && reply.status < 300) return reply.json;
      const isHeld = reply?.json?.['error'] === 'request_in_progress';
      if (reply !== null && reply.status < 500 && !isHeld) break;
      if (reply === null) urlIndex += 1;
      await Bun.sleep(isHeld ? heldKeyPauseMs : retryPauseMs);
    }
    throw new Error(`${method} ${path} was not accepted: ${reply?.status} ${reply?.text}`);
  };
}

/** Expects every answer to be acknowledged. */
async function playEvalRun({ db }: PlayerOptions, ask: Ask, mark: string): Promise<PlayedRun> {
  const redeemed = await ask('POST', '/v1/redemptions', { product: 'eval-run' }, mark);
  const id: string = redeemed.eval_job.id;
  const texts = new Map<number, string[]>();
  for (let [round, ended] = [1, false]; !ended; round += 1) {
    const next = await ask('GET', `/v1/runs/${id}/cases/next?limit=8`);
    ended = next.ended;
    const answers = next.cases.map(({ case_id, index, step }: Json) => {
      const text = `${mark} ${index} ${step}`;
      texts.set(index, [...(texts.get(index) ?? []), text]);
      return { case_id, step, text };
    });
    if (answers.length > 0) {
      const accepted = await ask('POST', `/v1/runs/${id}/answers`, { answers }, `${mark}-${round}`);
      expect(accepted.accepted).toBe(answers.length);
      ended = accepted.ended;
    }
  }
  return { kind: 'eval-run', check: () => checkEvalRun(db, id, texts) };
}

async function checkEvalRun(
  db: Database,
  id: string,
  texts: ReadonlyMap<number, readonly string[]>,
): Promise<number> {
  const { runs, runItems } = db.tables;
  const [job] = await db.query.select().from(runs).where(eq(runs.id, id));
  expect(job).toMatchObject({
    status: 'completed',
    chargeState: 'consumed',
    progressDone: job?.progressTotal,
  });
  await expectOneCharge(db, job!.redemptionId, job!.chargeTokens);
  const stored = await db.query
    .select({ result: runItems.result })
    .from(runItems)
    .where(eq(runItems.runId, id))
    .orderBy(asc(runItems.itemIndex));
  expect(stored.map(({ result }) => result.index)).toEqual(
    Array.from({ length: job!.progressTotal }, (_, index) => index),
  );
  const lost = stored.filter(({ result }) => result.status === 'error');
  for (const { result } of lost) {
    // Only a case that was fetched twice in vain is given up.
    expect(result.attempts).toBe(handOutsMax);
  }
  for (const { result } of stored.filter((one) => !lost.includes(one))) {
    expect([result.index, result.response_text]).toEqual([
      result.index,
      texts.get(result.index)?.at(-1) ?? '',
    ]);
  }
  return lost.length;
}

/** Looks at its notes in every task and gives up. */
async function playAgentRun({ db }: PlayerOptions, ask: Ask, mark: string): Promise<PlayedRun> {
  const redeemed = await ask('POST', '/v1/redemptions', { product: 'agent-run' }, mark);
  const id: string = redeemed.run.id;
  const finish = { tool: 'task_finish', args: { message: mark } };
  for (let ended = false; !ended;) {
    const { cases } = await ask('GET', `/v1/runs/${id}/cases/next`);
    const [task] = cases as { case_id: string }[];
    if (task === undefined) break;
    for (const [step, { tool: name, args }] of [look, finish].entries()) {
      const answer = { case_id: task.case_id, step, tool_calls: [{ name, arguments: args }] };
      ({ ended } = await ask('POST', `/v1/runs/${id}/answers`, { answers: [answer] }));
    }
  }
  return { kind: 'agent-run', check: () => checkAgentRun(db, id, [look, finish]) };
}

async function checkAgentRun(db: Database, id: string, made: readonly WeekCall[]): Promise<number> {
  const { runs, runItems } = db.tables;
  const [run] = await db.query.select().from(runs).where(eq(runs.id, id));
  expect(run).toMatchObject({ status: 'completed', chargeState: 'consumed', progressDone: taskCount });
  await expectOneCharge(db, run!.redemptionId, run!.chargeTokens);
  const stored = await db.query.select().from(runItems).where(eq(runItems.runId, id));
  expect(stored).toHaveLength(taskCount);
  // The plan of an agent run stores these.
  for (const { result } of stored) expect(callsIn(result)).toEqual(made);
  return 0;
}

async function expectOneCharge(
  { query, tables }: Database,
  redemptionId: string,
  tokens: number,
): Promise<void> {
  const { tokenEntries } = tables;
  const entries = await query
    .select({ amount: tokenEntries.amount })
    .from(tokenEntries)
    .where(eq(tokenEntries.reference, redemptionId));
  expect(entries).toEqual(tokens === 0 ? [] : [{ amount: -tokens }]);
}
