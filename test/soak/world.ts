/** What a soak runs on: a hub of real processes, one for each pool and two of the runner, and all that they talk to. */
import { rm } from 'node:fs/promises';
import { settlePort } from '#cli/supervisor/settle-port.ts';
import type { Dialect } from '#db/database.ts';
import { revokeBearerToken } from '#domain/agents/bearer-tokens/revoke-bearer-token.ts';
import { systemClock } from '#runtime/clock.ts';
import type { PoolName } from '#workers/pool-registry.ts';
import { type CrashSurroundings, prepareSurroundings } from '#test/crash/surroundings.ts';
import type { Credentials } from '#test/fuzz/fuzz-hub.ts';
import { startApiProcess } from '#test/harness/api-process.ts';
import { startCheckoutProvider } from '#test/harness/checkout-provider.ts';
import { createCrowd } from '#test/harness/crowd.ts';
import { actingAs, createTestCtx } from '#test/harness/ctx.ts';
import { everythingConfigured } from '#test/harness/everything-configured.ts';
import type { HubProcessStores } from '#test/harness/hub-process.ts';
import { startTestSmtpServer, type TestSmtpServer } from '#test/harness/smtp.ts';
import { redisPidOf } from '#test/harness/redis.ts';
import { openScratchStore, type ScratchStore } from '#test/harness/stores.ts';
import { startTarget } from '#test/harness/target.ts';
import { startWorkerProcess } from '#test/harness/worker-process.ts';
import type { WatchedProcess } from './measure/sampler.ts';

export interface SoakWorld {
  readonly url: string;
  readonly store: ScratchStore;
  readonly stores: HubProcessStores;
  readonly around: CrashSurroundings;
  /** Of those who ask for whatever the document has. */
  readonly credentials: Credentials;
  readonly targetOrigins: { readonly good: string; readonly slow: string; readonly broken: string };
  readonly smtp: TestSmtpServer;
  readonly smtpInboundPort: number;
  readonly processes: readonly WatchedProcess[];
  stop(): Promise<void>;
}

const pools: readonly (readonly [name: string, pool: PoolName])[] = [
  ['eval-runner 1', 'eval-runner'],
  ['eval-runner 2', 'eval-runner'],
  ['mail', 'mail'],
  ['seats', 'seats'],
  ['webhooks', 'webhooks'],
  ['sweeper', 'sweeper'],
  ['inbound-mail', 'inbound-mail'],
];
const preload = 'test/soak/children/collect-when-told.ts';
const slowAnswerMs = 150;
/** So many deliveries fail once before they are taken, and come back after some seconds. */
const flakyEvery = 10;
/** More than a soak spends. */
const tokens = 100_000;

export async function buildSoakWorld(dialect: Dialect): Promise<SoakWorld> {
  const stops: (() => Promise<unknown>)[] = [];
  const stop = async (): Promise<void> => {
    for (const end of stops.toReversed()) await end();
  };
  try {
    const store = await openScratchStore(dialect);
    stops.push(() => store.remove());
    const around = await prepareSurroundings(store, { eventCount: 3, officeCount: 2, laneCount: 1 });
    stops.push(
      () => rm(around.dataDir, { recursive: true, force: true }),
      () => around.stop(),
    );
    beFlaky(around);
    const smtp = await startTestSmtpServer();
    const checkout = startCheckoutProvider();
    stops.push(
      () => smtp.close(),
      () => checkout.stop(),
    );
    const slow = startTarget(async () => {
      await Bun.sleep(slowAnswerMs);
      return 'In a moment.';
    });
    const broken = startTarget(() => new Response('Out of order', { status: 500 }));
    stops.push(
      () => slow.stop(),
      () => broken.stop(),
    );
    const { stores, settings } = around.processes.api[0]!;
    const smtpInboundPort = await settlePort('127.0.0.1', 0);
    const hub = await startHub(stores, stops, {
      ...settings,
      SMTP_URL: smtp.url,
      SMTP_INBOUND_PORT: String(smtpInboundPort),
      CHECKOUT_API_URL: checkout.url,
    });
    const origin = (target: { readonly url: string }): string => new URL(target.url).origin;
    const targetOrigins = { good: around.targetOrigin, slow: origin(slow), broken: origin(broken) };
    const credentials = await makeCredentials(store, around);
    return { ...hub, store, stores, around, credentials, targetOrigins, smtp, smtpInboundPort, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** With everything turned on that the hub offers. */
async function startHub(
  stores: HubProcessStores,
  stops: (() => Promise<unknown>)[],
  around: Readonly<Record<string, string>>,
): Promise<Pick<SoakWorld, 'url' | 'processes'>> {
  const keys = everythingConfigured;
  const settings = {
    ...around,
    PORT: '0',
    OPERATOR_KEY: keys.operatorKey,
    INBOX_KEY: keys.inboxKey,
    PAYMENTS_WEBHOOK_SECRET: keys.paymentsWebhookSecret,
    CHECKOUT_ACCESS_TOKEN: keys.checkoutAccessToken,
    TRUSTED_PROXIES: '127.0.0.0/8',
    // So high that nobody meets them, and counted all the same.
    WRITES_PER_MINUTE: '1000000',
    READS_PER_MINUTE: '1000000',
    REGISTRATIONS_PER_MINUTE: '1000000',
  };
  const api = startApiProcess(stores, settings, preload);
  const workers = pools.map(([, pool]) => startWorkerProcess([pool], stores, settings, preload));
  for (const one of [api, ...workers]) stops.push(async () => (await one).end('SIGKILL'));
  const { url, pid } = await api;
  const processes: WatchedProcess[] = [{ name: 'api', pid, metricsUrl: `${url}/metrics` }];
  for (const [index, [name]] of pools.entries()) {
    const worker = await workers[index]!;
    processes.push({ name, pid: worker.pid, metricsUrl: `${worker.operatorUrl}/metrics` });
  }
  processes.push({ name: 'redis', pid: await redisPidOf(stores.redisUrl), metricsUrl: null });
  return { url, processes };
}

/** Some deliveries are refused once. */
function beFlaky({ receiver }: CrashSurroundings): void {
  let arrived = 0;
  const refused = new Set<string>();
  receiver.answer = ({ id }) => {
    arrived += 1;
    if (arrived % flakyEvery !== 0 || refused.has(id)) return new Response(null, { status: 204 });
    refused.add(id);
    return new Response(null, { status: 503 });
  };
}

/** Agents of their own, so that what they do to themselves is nobody else's loss. */
async function makeCredentials(
  { db }: ScratchStore,
  { maintainer }: CrashSurroundings,
): Promise<Credentials> {
  const ctx = { ...createTestCtx(db), clock: systemClock };
  const [agent, other, revoked] = await createCrowd(ctx, 3, tokens);
  await revokeBearerToken(actingAs(ctx, revoked!), { tokenId: revoked!.tokenId });
  return {
    agent: agent!.bearerToken,
    other: other!.bearerToken,
    maintainer: maintainer.bearerToken,
    revoked: revoked!.bearerToken,
    malformed: 'hub_malformed',
    operator: everythingConfigured.operatorKey,
    inbox: everythingConfigured.inboxKey,
    nobody: null,
  };
}
