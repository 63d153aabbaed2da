/**
 * How much agents can slow down others: the attacks of `test/attacks/`, with the figures from before fair sharing in
 * the column of the baseline.
 */
import { createJobPublisher } from '#runtime/jobs/job-publisher.ts';
import { createLogger } from '#runtime/tracing/log.ts';
import type { AttackedHub } from '#test/attacks/attacked-hub.ts';
import { type AttackSize, attackSizes, quantile } from '#test/attacks/attack-size.ts';
import { countMailsOfBookings } from '#test/attacks/bookings.ts';
import { measureSearches } from '#test/attacks/costly-searches.ts';
import { measureDeliveries } from '#test/attacks/hanging-receivers.ts';
import { allowedMs, measureSlowTargets } from '#test/attacks/slow-targets.ts';
import { testSecretKey } from '#test/harness/secret-key.ts';
import { type BenchEnvironment, openContext, startApi, startPool, startRedis } from '../bench-environment.ts';
import { atMost, format, type Row } from '../table.ts';
import { connect } from './eval-rounds.ts';

const deliveryMaxMs = 1_000;
const callsMax = 10;
const healthMaxMs = 50;
const mailsMax = 1;

export async function measureFairness(env: BenchEnvironment): Promise<readonly Row[]> {
  const size = attackSizes[env.size.attacks];
  return [
    ...(size.slowAgents === 0 ? [] : await slowTargets(await openHub(env, 'slow-targets'), size)),
    ...(await deliveries(await openHub(env, 'deliveries'), size)),
    ...(await searches(await openHub(env, 'searches'), size)),
    ...(await bookings(await openHub(env, 'bookings'), size)),
  ];
}

/** Each attack gets its own hub. */
async function openHub(env: BenchEnvironment, name: string): Promise<AttackedHub> {
  const redis = await startRedis(env, name);
  const setting = await env.store.createDatabase(name);
  const publisher = createJobPublisher(
    await connect(env, redis.url),
    createLogger({ name: 'bench', level: 'silent' }),
  );
  env.stack.defer(() => publisher.close());
  const variables = {
    SECRET_KEY: testSecretKey,
    CONTACT_TO: 'team@hub.example',
    EVAL_CALL_TIMEOUT_MS: '30000',
  };
  return {
    ctx: await openContext(env, setting, publisher),
    startPool: (pool) => startPool(env, pool, setting, redis.url, { variables }),
    startApi: async () => {
      const { port } = await startApi(env, setting, redis.url, variables);
      return `http://127.0.0.1:${port}`;
    },
  };
}

async function slowTargets(hub: AttackedHub, size: AttackSize): Promise<readonly Row[]> {
  const figures = await measureSlowTargets(hub, size);
  const slowest = Math.max(...Object.values(figures.besideMs));
  return [
    {
      measure: `a run beside ${size.slowAgents} agents with targets of 25 s, twice; slowest of six, ms`,
      hub: format(slowest),
      baseline: `${format(figures.aloneMs)} alone; before: > 60,000 beside 52`,
      aim: atMost(Math.round(allowedMs(figures)), slowest),
    },
  ];
}

async function deliveries(hub: AttackedHub, size: AttackSize): Promise<readonly Row[]> {
  const { alone, beside, mostInASecond } = await measureDeliveries(hub, size);
  const p99 = quantile(beside, size.quantile);
  return [
    {
      measure: `a delivery while ${size.hangingReceivers} receivers hang: p50 / p99, ms`,
      hub: `${format(quantile(beside, 0.5))} / ${format(p99)}`,
      baseline: `${format(quantile(alone, size.quantile))} p99 alone; before: 11,900 beside 16`,
      aim: atMost(deliveryMaxMs, p99),
    },
    {
      measure: 'calls to one destination in any second, from two processes',
      hub: format(mostInASecond),
      baseline: 'before: 161',
      aim: atMost(callsMax, mostInASecond),
    },
  ];
}

async function searches(hub: AttackedHub, size: AttackSize): Promise<readonly Row[]> {
  const { searched, other } = await measureSearches(hub, size);
  const p99 = quantile(searched, 0.99);
  return [
    {
      measure: `/v1/health beside the worst searches of ${format(size.threads)} threads: p50 / p99, ms`,
      hub: `${format(quantile(searched, 0.5), 1)} / ${format(p99, 1)}`,
      baseline: `${format(quantile(other, 0.99), 1)} p99 of another process; before: 1,700`,
      aim: atMost(healthMaxMs, p99),
    },
  ];
}

async function bookings(hub: AttackedHub, size: AttackSize): Promise<readonly Row[]> {
  const [url] = await Promise.all([hub.startApi(), hub.startPool('seats')]);
  const mails = await countMailsOfBookings(hub.ctx, [url], size.bookings);
  return [
    {
      measure: `mails for ${size.bookings} bookings and cancellations of office hours`,
      hub: format(mails),
      baseline: 'before: 150 for 150',
      aim: atMost(mailsMax, mails),
    },
  ];
}
