/**
 * Agents that take runs in pull mode: they fetch cases and tasks, answer, and repeat each request unchanged until it
 * gets a response. At the end, their responses are compared with the store.
 */
import { expect } from 'bun:test';
import type { Database } from '#db/database.ts';
import { handOutsMax } from '#domain/runs/pull/pull-run.ts';
import type { WeekCall } from '#evals/week/week.ts';
import { callsIn, look, taskCount } from '#test/harness/agent-runs.ts';
import type { TestAgent } from '#test/harness/agents.ts';
import { readRunRows } from '#test/harness/eval-runs.ts';
import type { Row } from '#test/harness/rows.ts';
import { request, retryAfter } from './request.ts';
import type { Reply, Witness } from './witness.ts';

interface PlayersOptions {
  readonly db: Database;
  /** API processes. A player moves to the next one when a connection breaks. */
  readonly urls: readonly string[];
  /** Each takes one run after the other: the even ones `eval-run`, the odd ones `agent-run`. */
  readonly agents: readonly TestAgent[];
  readonly pauseMs: number;
  readonly witness: Witness;
}

export interface PlayedRuns {
  readonly evalRuns: number;
  readonly agentRuns: number;
  /** Cases whose fetch got no response twice. */
  readonly unanswered: number;
}

interface PlayedRun {
  readonly kind: 'eval-run' | 'agent-run';
  /** @returns how many of its cases were lost on the way to the player */
  check(): Promise<number>;
}

const retriesMax = 3_000;

export function startPlayers({ db, urls, agents, pauseMs, witness }: PlayersOptions) {
  const over = { isOver: false };
  const running = agents.map(async ({ bearerToken }, index) => {
    const ask = createAsk(witness, urls, bearerToken, index);
    const playOne = index % 2 === 0 ? playEvalRun : playAgentRun;
    const played: PlayedRun[] = [];
    for (let turn = 1; !over.isOver; turn += 1) {
      played.push(await playOne(db, ask, `player${index}-${turn}`));
      await Bun.sleep(pauseMs);
    }
    return played;
  });
  // A player that fails early is reported at the end.
  for (const one of running) one.catch(() => undefined);
  return {
    /** Lets every player end its run, and compares the runs with the store. */
    end: async (): Promise<PlayedRuns> => {
      over.isOver = true;
      const played = (await Promise.all(running)).flat();
      let unanswered = 0;
      for (const run of played) unanswered += await run.check();
      const evalRuns = played.filter(({ kind }) => kind === 'eval-run').length;
      return { evalRuns, agentRuns: played.length - evalRuns, unanswered };
    },
  };
}

/** The hub's response to a request that it accepted. */
type Ask = (method: string, path: string, json?: object, key?: string) => Promise<Json>;
// oxlint-disable-next-line typescript/no-explicit-any -- a check that expects a field fails if it is not there
type Json = any;

function createAsk(witness: Witness, urls: readonly string[], token: string, firstUrl: number): Ask {
  let urlIndex = firstUrl;
  return async (method, path, json, key) => {
    const options = { token, json, ...(key === undefined ? {} : { headers: { 'idempotency-key': key } }) };
    let reply: Reply | null = null;
    for (let attempt = 0; attempt < retriesMax; attempt += 1) {
      const url = urls[urlIndex % urls.length]!;
      reply = await request(witness, url, method, path, options).catch(() => null);
      const pauseMs = retryAfter(reply);
      if (pauseMs === null) break;
      if (reply === null) urlIndex += 1;
      await Bun.sleep(pauseMs);
    }
    if (reply !== null && reply.status < 300) return reply.json;
    throw new Error(`${method} ${path} was not accepted: ${reply?.status} ${reply?.text}`);
  };
}

/** Expects every answer to be acknowledged. */
async function playEvalRun(db: Database, ask: Ask, mark: string): Promise<PlayedRun> {
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
  const { run, items, entries } = await readRunRows({ db }, id);
  const progressDone = run.progressTotal;
  expect(run).toMatchObject({ status: 'completed', chargeState: 'consumed', progressDone });
  expectOneCharge(run, entries);
  expect(items.map(({ result }) => result.index)).toEqual(
    Array.from({ length: progressDone }, (_, at) => at),
  );
  let lost = 0;
  for (const { result } of items) {
    if (result.status === 'error') {
      // Only a case that was fetched twice in vain is given up.
      expect(result.attempts).toBe(handOutsMax);
      lost += 1;
    } else {
      const text = texts.get(result.index)?.at(-1) ?? '';
      expect([result.index, result.response_text]).toEqual([result.index, text]);
    }
  }
  return lost;
}

/** Looks at its notes in every task and gives up. */
async function playAgentRun(db: Database, ask: Ask, mark: string): Promise<PlayedRun> {
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
  const { run, items, entries } = await readRunRows({ db }, id);
  expect(run).toMatchObject({ status: 'completed', chargeState: 'consumed', progressDone: taskCount });
  expectOneCharge(run, entries);
  expect(items).toHaveLength(taskCount);
  // The plan of an agent run stores these.
  for (const { result } of items) expect(callsIn(result)).toEqual(made);
  return 0;
}

function expectOneCharge({ chargeTokens }: Row<'runs'>, entries: readonly Row<'tokenEntries'>[]): void {
  const due = chargeTokens === 0 ? [] : [-chargeTokens];
  expect(entries.map(({ amount }) => amount)).toEqual(due);
}
