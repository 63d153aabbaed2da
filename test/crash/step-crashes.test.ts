/** Kills the API between the steps of conversations. The agent repeats its request, and goes on with the same response. */
import { expect, test } from 'bun:test';
import { settlePort } from '#cli/supervisor/settle-defaults.ts';
import { auditHub } from '#domain/audit/audit-hub.ts';
import type { PlainMessage } from '#domain/targets/tool-calls.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { actingAs, createTestCtx } from '#test/harness/ctx.ts';
import { readPulledRun } from '#test/harness/eval-runs.ts';
import { ordersAgent, ordersSuite, ordersText } from '#test/harness/orders-suite.ts';
import { startTestRedis } from '#test/harness/redis.ts';
import { openScratchStore } from '#test/harness/stores.ts';
import { orderSuiteRun, publishTestSuite } from '#test/harness/suites.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { type Death, storesOf } from './crash-plan.ts';
import { withVictim } from './victim.ts';

const deaths: readonly Death[] = (
  [
    'cases.handing-out',
    'answers.graded',
    'answers.written',
    // After the commit.
    'transaction.committed',
    'request.answering',
    // At the end of the run.
    'run.written',
  ] as const
).map((point) => ({ point, onPass: 1, afterSteps: 0 }));
const caseCount = 4;

interface Fetched {
  readonly cases: readonly {
    readonly case_id: string;
    readonly step: number;
    readonly messages: readonly PlainMessage[];
  }[];
}

interface Answered {
  readonly ended: boolean;
  readonly cases: readonly {
    readonly done: boolean;
    readonly step?: number;
    readonly messages?: readonly PlainMessage[];
  }[];
}

for (const dialect of storesOf('sqlite')) {
  test.concurrent(`on ${dialect}, every step counts once, whenever the API dies`, async () => {
    await using store = await openScratchStore(dialect);
    const redis = await startTestRedis();
    const port = await settlePort('127.0.0.1', 0);
    const ctx = createTestCtx(store.db);
    const agent = await createTestAgent(ctx);
    const as = actingAs(ctx, agent);
    const [first] = ordersSuite.cases;
    const cases = Array.from({ length: caseCount }, (_, at) => ({ ...first, id: `sum-${at}` }));
    await publishTestSuite(as, { ...ordersSuite, cases });
    const { id } = await orderSuiteRun(as, `@${as.agent.handle}/orders`);
    const ask = askUntilAnswered(`http://127.0.0.1:${port}/v1`, agent.bearerToken);
    const work = async (): Promise<void> => {
      for (let ended = false; !ended;) {
        const fetched = (await ask(`/runs/${id}/cases/next`)) as Fetched;
        const [open] = fetched.cases;
        if (open === undefined) throw new Error('The run has no case left, but has not ended.');
        let { step, messages } = open;
        for (let done = false; !done;) {
          const said = ordersAgent(messages);
          const answers = [{ case_id: open.case_id, step, ...said }];
          const answered = (await ask(`/runs/${id}/answers`, { answers })) as Answered;
          ({ ended } = answered);
          const [came] = answered.cases;
          done = came?.done !== false;
          step = came?.step ?? step;
          messages = [...messages, ...(came?.messages ?? [])];
        }
      }
    };
    const stores = { database: store.setting, redisUrl: redis.url };
    try {
      await withVictim({
        process: { program: 'api', stores, settings: { PORT: String(port) } },
        deaths,
        work,
      });
      const { job, cases: stored, positions } = await readPulledRun(ctx, id);
      expect(job).toMatchObject({ status: 'completed', score: 100, progressDone: caseCount });
      expect(positions).toEqual(cases.map((_, at) => at + 1));
      expect(stored.map((one) => one.response_text)).toEqual(cases.map(() => ordersText));
      expect((await auditHub(ctx)).filter(({ drifts }) => drifts.length > 0)).toEqual([]);
    } finally {
      await redis.stop();
    }
  }, 300_000);
}

/** A client whose server may die at any moment: it sends each request again, unchanged, until it succeeds. */
function askUntilAnswered(url: string, token: string) {
  return async (path: string, json?: object): Promise<unknown> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const request =
      json === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(json) };
    let answer: unknown;
    await waitUntil(async () => {
      const response = await fetch(url + path, request).catch(() => null);
      const said = await response?.text().catch(() => undefined);
      if (response === null || said === undefined || response.status >= 500) return false;
      if (!response.ok) throw new Error(`${path} was refused: ${said}`);
      answer = JSON.parse(said);
      return true;
    });
    return answer;
  };
}
