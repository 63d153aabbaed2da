/**
 * A hub on SQLite and a hub on Postgres that get the same requests and must give the same responses. Random
 * values (ids, keys, links) are replaced by names before the comparison.
 */
import { expect } from 'bun:test';
import { settleRun } from '#domain/runs/settle-run.ts';
import type { RunOutcome } from '#domain/runs/run-limits.ts';
import type { StoredSuiteResult } from '#evals/own-suite/stored-trial.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { createTestClock, type TestClock } from '#test/harness/clock.ts';
import { claimTestRun, completedWith } from '#test/harness/eval-runs.ts';
import { startEventHub } from '#test/harness/event-hub.ts';
import type { TestResponse } from '#test/harness/hub.ts';
import { openScratchStore } from '#test/harness/stores.ts';
import { agentCount, maintainer, tokensAtFirst } from './hub-model.ts';

export interface Asked {
  readonly agent: number;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** `<name>` stands for the id with that name. */
  readonly path: string;
  readonly json?: unknown;
}

export interface Answered {
  readonly status: number;
  /** With names instead of ids. */
  // oxlint-disable-next-line typescript/no-explicit-any -- a step that expects a field fails if it is not there
  readonly body: any;
}

/** Gives a name to the id at a place in a response. */
export interface Named {
  readonly name: string;
  readonly of: (body: Answered['body']) => unknown;
}

/** One of the two hubs. */
export type OneHub = Awaited<ReturnType<typeof startOne>>;

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g;

const result: StoredSuiteResult = {
  pass_rate: { value: 0.5, low: 0.4, high: 0.6 },
  pass_k: { k: 1, value: 0.5 },
  flaky: [],
  tags: {},
  latency: null,
  usage: null,
  ungraded: 0,
  errors: 0,
  unanswered: 0,
  exact: { numerator: '1', denominator: '2' },
  marks: {},
  findings: [],
};

const outcomes: Readonly<Record<'completed' | 'failed', RunOutcome>> = {
  completed: { ...completedWith(50), scoreJson: { ...result } },
  failed: { kind: 'failed', code: 'target_unreachable', message: 'No connection.' },
};

export type TwoHubs = Awaited<ReturnType<typeof startTwoHubs>>;

export async function startTwoHubs() {
  const clock = createTestClock();
  const hubs = [await startOne('sqlite', clock), await startOne('postgres', clock)] as const;
  /** The agents whose state has changed since the last comparison with the model. */
  const changed: number[] = [];
  let runs = 0;
  const handle = (agent: number): string => `run-${runs}-agent-${agent}`;
  return {
    clock,
    hubs,
    changed,
    handle,
    /** Creates new agents, the same on both hubs. Earlier histories belong to other agents. */
    renew: async (): Promise<void> => {
      runs += 1;
      changed.length = 0;
      for (const one of hubs) {
        one.idOfName.clear();
        one.nameOfId.clear();
        one.agents.length = 0;
        for (let agent = 0; agent < agentCount; agent += 1) {
          const options = { handle: handle(agent), tokens: tokensAtFirst };
          one.agents.push(await createTestAgent(one.hub.ctx, options));
        }
        one.maintainerDids.add(one.agents[maintainer]?.did ?? '');
      }
    },
    ask: async (asked: Asked, named?: Named): Promise<Answered> => {
      const answers = await Promise.all(
        hubs.map(async (one) => readAnswer(one, await send(one, asked), named)),
      );
      return agreed(asked, answers);
    },
    /** Ends a run as a runner does. */
    endRun: async (name: string, end: 'completed' | 'failed'): Promise<void> => {
      for (const { hub, idOfName } of hubs) {
        const runId = idOfName.get(name) ?? name;
        const { attempt } = await claimTestRun(hub.ctx, runId);
        await settleRun(hub.ctx, { runId, attempt, outcome: outcomes[end], jobId: null });
      }
    },
    stop: () => Promise.all(hubs.map((one) => one.stop())),
  };
}

async function startOne(dialect: 'sqlite' | 'postgres', clock: TestClock) {
  const store = await openScratchStore(dialect);
  const maintainerDids = new Set<string>();
  // Runs of the model fail at their first call.
  const rules = { maintainerDids, runLimits: { openRuns: 5, failedCallsPerDay: 10 } };
  const { hub } = await startEventHub({ store, clock, rules, checkResponses: false });
  const agents: TestAgent[] = [];
  return {
    hub,
    maintainerDids,
    agents,
    idOfName: new Map<string, string>(),
    nameOfId: new Map<string, string>(),
    stop: async () => {
      await hub.close();
      await store.remove();
    },
  };
}

/** @returns the common response */
export function agreed(asked: unknown, [first, second]: readonly Answered[]): Answered {
  if (first === undefined || second === undefined) throw new Error('There are two hubs.');
  expect({ asked, answered: second }).toEqual({ asked, answered: first });
  return first;
}

export function send(one: OneHub, { agent, method, path, json }: Asked): Promise<TestResponse> {
  return one.hub.fetch(
    path.replaceAll(/<([^>]+)>/g, (_, name: string) => one.idOfName.get(name) ?? name),
    { method, token: one.agents[agent]?.bearerToken ?? '', ...(json === undefined ? {} : { json }) },
  );
}

export function readAnswer(one: OneHub, response: TestResponse, named?: Named): Answered {
  const id = response.status < 300 ? named?.of(response.body) : undefined;
  if (named !== undefined && typeof id === 'string' && !one.nameOfId.has(id)) {
    one.idOfName.set(named.name, id);
    one.nameOfId.set(id, named.name);
  }
  const text = response.text
    .replaceAll(/"request_id":"[^"]*"/g, '"request_id":"…"')
    .replaceAll(/\/v1\/calendar\/[^"]+/g, '/v1/calendar/…')
    .replaceAll(/"seed":"[^"]*"/g, '"seed":"…"')
    .replaceAll(/did:key:\w+/g, 'did:key:…')
    .replaceAll(/"next_cursor":"[^"]+"/g, '"next_cursor":"…"')
    .replaceAll(uuid, (found) => one.nameOfId.get(found) ?? '…');
  return { status: response.status, body: JSON.parse(text) };
}
