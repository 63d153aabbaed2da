/**
 * The largest run of a suite: memory of the runner that calls an instant target, and of the API in pull mode, and how long
 * the API takes to say that it is well meanwhile.
 */
import { eq } from 'drizzle-orm';
import type { Ctx } from '#domain/context.ts';
import { createJobPublisher } from '#runtime/jobs/job-publisher.ts';
import type { TestAgent } from '#test/harness/agents.ts';
import { actingAs } from '#test/harness/ctx.ts';
import { createCrowd } from '#test/harness/crowd.ts';
import { silentLogger } from '#test/harness/silent-logger.ts';
import { orderSuiteRun, publishTestSuite } from '#test/harness/suites.ts';
import { type BenchEnvironment, openContext, startApi, startPool, startRedis } from '../bench-environment.ts';
import { canSeeProcesses, memoryOf } from '../processes/process-usage.ts';
import { atMost, format, type Row } from '../table.ts';
import { connect, startEvalTarget } from './eval-rounds.ts';

const growthMaxMb = 50;
const healthMaxMs = 50;
const sampleMs = 20;
const pollMs = 50;
const casesAtOnce = 8;
const runMaxMs = 15 * 60 * 1_000;

export async function measureLargeSuite(env: BenchEnvironment): Promise<readonly Row[]> {
  if (!canSeeProcesses) return [{ measure: 'a large suite', hub: 'only measured on Linux' }];
  const { suiteCases, suiteTrials } = env.size;
  const redis = await startRedis(env, 'large-suite');
  const setting = await env.store.createDatabase('large-suite');
  const publisher = createJobPublisher(await connect(env, redis.url), silentLogger);
  env.stack.defer(() => publisher.close());
  const ctx = await openContext(env, setting, publisher);
  const [agent] = await createCrowd(ctx, 1, 10_000);
  if (agent === undefined) throw new Error('The crowd is empty.');
  const as = actingAs(ctx, agent);
  const publish = (name: string, count: number, trials: number) =>
    publishTestSuite(as, { suite: 1, name, defaults: { trials }, cases: casesOf(count) });
  // By then the heaps have the size that short runs give them.
  await publish('warm-up', Math.ceil(suiteCases / 8), suiteTrials);
  await publish('large', suiteCases, suiteTrials);
  const runner = await startPool(env, 'eval-runner', setting, redis.url);
  const api = await startApi(env, setting, redis.url);
  const url = `http://127.0.0.1:${api.port}`;
  const targetUrl = await startEvalTarget(env, 0);
  const push = async (name: string) => {
    const { id } = await orderSuiteRun(as, `@${agent.handle}/${name}`, { targetUrl });
    await until(ctx, id);
  };
  await push('warm-up');
  const pushed = await observe(url, runner.pid, () => push('large'));
  const pull = async (name: string) => {
    const { id } = await orderSuiteRun(as, `@${agent.handle}/${name}`);
    return answerAll(url, agent, id);
  };
  await pull('warm-up');
  const pulled = await observe(url, api.pid, () => pull('large'));
  const replies = format(suiteCases * suiteTrials);
  return [
    { measure: `a suite run of ${replies} replies, pushed: s`, hub: format(pushed.seconds, 1) },
    {
      measure: '  growth of RSS of the runner, MB',
      hub: format(pushed.growthMb, 1),
      aim: atMost(growthMaxMb, pushed.growthMb),
    },
    healthRow(pushed),
    { measure: `the same fetched, ${casesAtOnce} cases at a time: s`, hub: format(pulled.seconds, 1) },
    { measure: '  growth of RSS of the API, MB', hub: format(pulled.growthMb, 1) },
    healthRow(pulled),
  ];
}

function healthRow({ healthMs }: Observed): Row {
  const p99 = quantile(healthMs, 0.99);
  return {
    measure: '  health of the API meanwhile: p99 (longest), ms',
    hub: `${format(p99, 1)} (${format(quantile(healthMs, 1), 1)})`,
    aim: atMost(healthMaxMs, p99),
  };
}

function casesOf(count: number): object[] {
  return Array.from({ length: count }, (_, at) => ({
    id: `case-${at}`,
    prompt: `Question ${at}. ${'What does the policy below allow? '.repeat(40)}`,
    tags: [`tag-${at % 20}`],
    expect: [{ contains: 'answer' }, { length: 'words', max: 50 }],
  }));
}

interface Observed {
  readonly seconds: number;
  /** From before the work to its peak. */
  readonly growthMb: number;
  readonly healthMs: readonly number[];
}

async function observe(url: string, pid: number, work: () => Promise<unknown>): Promise<Observed> {
  const before = memoryOf([pid]).rssMb;
  const healthMs: number[] = [];
  let peak = before;
  const over = new AbortController();
  const watch = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const askedAt = performance.now();
      await (await fetch(`${url}/v1/health`)).text();
      healthMs.push(performance.now() - askedAt);
      peak = Math.max(peak, memoryOf([pid]).rssMb);
      await Bun.sleep(sampleMs);
    }
  };
  const watching = watch();
  const startedAt = performance.now();
  await work();
  const seconds = (performance.now() - startedAt) / 1_000;
  over.abort();
  await watching;
  return { seconds, growthMb: peak - before, healthMs };
}

async function until({ db }: Ctx, id: string): Promise<void> {
  const { runs } = db.tables;
  const giveUpAt = performance.now() + runMaxMs;
  for (;;) {
    const [run] = await db.query.select().from(runs).where(eq(runs.id, id));
    if (run?.status === 'completed') return;
    if (run?.status === 'failed' || performance.now() > giveUpAt)
      throw new Error(`The run is ${run?.status}: ${run?.failureMessage}`);
    await Bun.sleep(pollMs);
  }
}

async function answerAll(url: string, agent: TestAgent, id: string): Promise<void> {
  const headers = { authorization: `Bearer ${agent.bearerToken}`, 'content-type': 'application/json' };
  const ask = async (path: string, init: RequestInit = {}) => {
    const answer = await fetch(`${url}/v1/runs/${id}/${path}`, { ...init, headers });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    // The documented bodies.
    return (await answer.json()) as { ended: boolean; cases: readonly { readonly case_id: string }[] };
  };
  for (;;) {
    const { cases } = await ask(`cases/next?limit=${casesAtOnce}`);
    const answers = cases.map(({ case_id }) => ({ case_id, text: 'An answer of the usual length.' }));
    const { ended } = await ask('answers', { method: 'POST', body: JSON.stringify({ answers }) });
    if (ended) return;
  }
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}
