/** The hub of a soak: one process per pool and two eval runners, everything configured, and all servers it talks to. */
import { settlePort } from '#cli/supervisor/settle-defaults.ts';
import type { Dialect } from '#db/dialect.ts';
import { revokeBearerToken } from '#domain/agents/bearer-tokens.ts';
import { systemClock } from '#runtime/clock.ts';
import type { Credentials } from '#test/fuzz/fuzz-hub.ts';
import { startCheckoutProvider } from '#test/harness/checkout-provider.ts';
import { createCrowd } from '#test/harness/crowd.ts';
import { actingAs, createTestCtx } from '#test/harness/ctx.ts';
import { everythingConfigured } from '#test/harness/everything-configured.ts';
import type { Receiver } from '#test/harness/receiver.ts';
import { redisPidOf } from '#test/harness/redis.ts';
import { startTestSmtpServer, type TestSmtpServer } from '#test/harness/smtp.ts';
import { startTarget } from '#test/harness/target.ts';
import { type HubUnderTest, startHubUnderTest } from '#test/workload/hub-under-test.ts';
import type { PoolName } from '#workers/pool-registry.ts';
import type { WatchedProcess } from './measure/sampler.ts';

export interface SoakHub extends HubUnderTest {
  /** Of the agents that send drawn requests. */
  readonly credentials: Credentials;
  readonly targetOrigins: { readonly good: string; readonly slow: string; readonly broken: string };
  readonly smtp: TestSmtpServer;
  readonly smtpInboundPort: number;
  readonly processes: readonly WatchedProcess[];
}

type WorkerPlan = readonly (readonly [name: string, ...pools: PoolName[]])[];

/** A long soak watches each pool on its own. */
const workersOfLong: WorkerPlan = [
  ['eval-runner 1', 'eval-runner'],
  ['eval-runner 2', 'eval-runner'],
  ['mail', 'mail'],
  ['seats', 'seats'],
  ['webhooks', 'webhooks'],
  ['sweeper', 'sweeper'],
  ['inbound-mail', 'inbound-mail'],
];
const workersOfBrief: WorkerPlan = [
  ['eval-runner', 'eval-runner'],
  ['others', 'mail', 'seats', 'webhooks', 'sweeper', 'inbound-mail'],
];
const slowTargetMs = 150;
/** One delivery in this many fails once and is retried after a few seconds. */
const failedDeliveryEvery = 10;
/** More than a soak spends. */
const tokens = 100_000;

/** @param isBrief fewer processes, which grow too little to be watched one by one */
export async function startSoakHub(dialect: Dialect, isBrief: boolean): Promise<SoakHub> {
  const plan = isBrief ? workersOfBrief : workersOfLong;
  const smtp = await startTestSmtpServer();
  const checkout = startCheckoutProvider();
  const slow = startTarget(async () => {
    await Bun.sleep(slowTargetMs);
    return 'In a moment.';
  });
  const broken = startTarget(() => new Response('Out of order', { status: 500 }));
  let hub: HubUnderTest | null = null;
  const stop = async (): Promise<void> => {
    await hub?.stop();
    await Promise.all([smtp.close(), checkout.stop(), slow.stop(), broken.stop()]);
  };
  try {
    const smtpInboundPort = await settlePort('127.0.0.1', 0);
    // Known before the start, because the hub names its URL in the challenges that agents sign.
    const port = await settlePort('127.0.0.1', 0);
    hub = await startHubUnderTest({
      dialect,
      population: { eventCount: 3, officeCount: 2 },
      workers: plan.map(([, ...pools]) => pools),
      preload: 'collect-garbage',
      settings: settingsOf({
        PORT: String(port),
        SMTP_URL: smtp.url,
        SMTP_INBOUND_PORT: String(smtpInboundPort),
        CHECKOUT_API_URL: checkout.url,
      }),
    });
    failSomeDeliveries(hub.population.receiver);
    const origin = (target: { readonly url: string }): string => new URL(target.url).origin;
    const good = hub.population.targetOrigin;
    return {
      ...hub,
      credentials: await createCredentials(hub),
      targetOrigins: { good, slow: origin(slow), broken: origin(broken) },
      smtp,
      smtpInboundPort,
      processes: await watchedProcesses(hub, plan),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function settingsOf(servers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const keys = everythingConfigured;
  return {
    ...servers,
    OPERATOR_KEY: keys.operatorKey,
    INBOX_KEY: keys.inboxKey,
    PAYMENTS_WEBHOOK_SECRET: keys.paymentsWebhookSecret,
    CHECKOUT_ACCESS_TOKEN: keys.checkoutAccessToken,
    TRUSTED_PROXIES: '127.0.0.0/8',
    EVAL_ALLOWED_TARGETS: 'loopback',
    REGISTRATIONS_PER_MINUTE: '0',
    WRITES_PER_MINUTE: '0',
    READS_PER_MINUTE: '0',
  };
}

async function watchedProcesses(
  { url, api, workers, stores }: HubUnderTest,
  plan: WorkerPlan,
): Promise<WatchedProcess[]> {
  return [
    { name: 'api', pid: api.pid, metricsUrl: `${url}/metrics` },
    ...plan.map(([name], index) => {
      const { pid, operatorUrl } = workers[index]!;
      return { name, pid, metricsUrl: `${operatorUrl}/metrics` };
    }),
    { name: 'redis', pid: await redisPidOf(stores.redisUrl), metricsUrl: null },
  ];
}

function failSomeDeliveries(receiver: Receiver): void {
  let arrived = 0;
  const failed = new Set<string>();
  receiver.answer = ({ id }) => {
    arrived += 1;
    if (arrived % failedDeliveryEvery !== 0 || failed.has(id)) return new Response(null, { status: 204 });
    failed.add(id);
    return new Response(null, { status: 503 });
  };
}

/** These agents are not part of the population, so that drawn requests cannot affect its outcomes. */
async function createCredentials({ store, population }: HubUnderTest): Promise<Credentials> {
  const ctx = { ...createTestCtx(store.db), clock: systemClock };
  const [agent, other, revoked] = await createCrowd(ctx, 3, tokens);
  await revokeBearerToken(actingAs(ctx, revoked!), { tokenId: revoked!.tokenId });
  return {
    agent: agent!.bearerToken,
    other: other!.bearerToken,
    maintainer: population.maintainer.bearerToken,
    revoked: revoked!.bearerToken,
    malformed: 'hub_malformed',
    operator: everythingConfigured.operatorKey,
    inbox: everythingConfigured.inboxKey,
    nobody: null,
  };
}
