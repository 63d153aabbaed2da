/**
 * Every service of the hub in `deploy/compose.yml` starts as declared, without a container engine: in the image of the
 * Dockerfile, with its user, rights, read-only root, volumes, networks, environment, health check and end. An agent takes a
 * run through them.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { newKey } from '#test/domain/agents/sign-up.ts';
import { whyNoContainers } from '#test/harness/debian-root.ts';
import { startTarget, type TestTarget } from '#test/harness/target.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { type ComposeService, compose, environmentOf, networksOf } from './files/read-compose.ts';
import { readEnvironment } from './files/read-deploy-file.ts';
import {
  endInTime,
  expectConfined,
  prepareHub,
  type StartedContainer,
  type StartedHub,
  succeedsWithin,
} from './files/started-hub.ts';

const obstacle = await whyNoContainers();
if (obstacle !== null) console.log(`SKIPPED: ${obstacle}.`);

const honoured = new Set([
  ...'image env_file environment command profiles depends_on networks deploy read_only cap_drop'.split(' '),
  ...'security_opt volumes tmpfs healthcheck stop_grace_period'.split(' '),
]);
/** Needs an engine, which builds the image, starts a container again and publishes its ports. */
const untried = new Set(['build', 'restart', 'expose', 'ports']);

const services = Object.entries(compose.services).filter(([, { image }]) => image === 'agent-hub');
const secret = 'a1b2c3d4'.repeat(8);
const insideOf = (name: string): string =>
  compose.networks[name]?.ipam.config[0].subnet.replace(/\.0\/24$/, '') ?? '';
const [inside, front] = [insideOf('inside'), insideOf('front')];
/** Where the proxy of the compose file has its address. */
const proxy = `${front}.2`;
const peers = { postgres: `${inside}.2`, redis: `${inside}.3`, target: `${inside}.4` };
const targetPort = 8080;
/** What an operator fills in. The target of the test has a private address. */
const given = new Map([
  ...readEnvironment('env.example'),
  ...['SECRET_KEY', 'OPERATOR_KEY', 'POSTGRES_PASSWORD'].map((name): [string, string] => [name, secret]),
  ['EVAL_ALLOWED_TARGETS', `${peers.target}/32`],
]);

/** Within each network; the first is the API that the proxy asks. */
const firstHost = 129;
let nextHost = firstHost;

let hub: StartedHub;
let target: TestTarget;
let data: string;
beforeAll(async () => {
  if (obstacle !== null) return;
  target = startTarget(() => 'I do not know.');
  hub = await prepareHub({
    postgres: { name: 'postgres', address: peers.postgres, password: secret },
    redis: { name: 'redis', address: peers.redis },
    addresses: [`${peers.target}/24`, `${proxy}/24`],
    prefix: 24,
    relays: {
      servers: [{ host: peers.target, port: targetPort, to: Number(new URL(target.url).port) }],
      doors: [{ name: 'api', from: proxy, host: `${front}.${firstHost}`, port: 3000 }],
    },
    host: 'hub.example.org',
  });
  data = await hub.image.newVolume('/data');
});
afterAll(async () => {
  await hub?.remove();
  await target?.stop();
});

const secondsOf = (duration: string): number => Number(/^(\d+)s$/.exec(duration)?.[1]);

async function startService(name: string, service: ComposeService): Promise<StartedContainer> {
  const host = nextHost;
  nextHost += 1;
  const [volume, folder = ''] = service.volumes?.[0]?.split(':') ?? [];
  expect([volume, service.volumes?.length]).toEqual(['data', 1]);
  // As Docker mounts them.
  const options = 'mode=1777,nosuid,nodev,noexec';
  const memories = (service.tmpfs ?? []).map((path) => ({ kind: 'tmpfs' as const, target: path, options }));
  return hub.run({
    name: `${name}-${host}`,
    args: service.command ?? [],
    env: environmentOf(service, given),
    mounts: [{ kind: 'bind', source: data, target: folder }, ...memories],
    readOnly: service.read_only ?? false,
    addresses: networksOf(service).map((one) => `${insideOf(one)}.${host}/24`),
    graceSeconds: secondsOf(service.stop_grace_period ?? '10s'),
  });
}

async function becomeHealthy(container: StartedContainer, { healthcheck }: ComposeService): Promise<void> {
  if (healthcheck === undefined) throw new Error('It has no health check.');
  const { test: words, interval, timeout, retries, start_period: first = '0s' } = healthcheck;
  const maxSeconds = secondsOf(first) + retries * secondsOf(interval);
  await succeedsWithin(container, words.slice(1), { timeoutSeconds: secondsOf(timeout), maxSeconds });
}

/** Starts a service when those that it depends on are healthy, each once. */
const healthy = new Map<string, Promise<void>>();
function bringUp(name: string): Promise<void> {
  const known = healthy.get(name);
  if (known !== undefined) return known;
  const service = compose.services[name];
  const start = async (): Promise<void> => {
    if (service === undefined || service.image !== 'agent-hub') return;
    await Promise.all(Object.keys(service.depends_on ?? {}).map(bringUp));
    const replicas = Array.from({ length: service.deploy?.replicas ?? 1 }, () => startService(name, service));
    await Promise.all(replicas.map(async (replica) => becomeHealthy(await replica, service)));
  };
  const up = start();
  healthy.set(name, up);
  return up;
}

test('the tests honour every key of the services, or say that they do not', () => {
  for (const [name, service] of services) {
    const unknown = Object.keys(service).filter((key) => !honoured.has(key) && !untried.has(key));
    expect([name, unknown]).toEqual([name, []]);
    // What the containers of the tests have.
    expect(service).toMatchObject({ cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
  }
});

test.if(obstacle === null)(
  'all services become healthy as declared, serve an agent, and end in time',
  async () => {
    await Promise.all(services.map(([name]) => bringUp(name)));
    // Of the API there are two.
    expect(hub.containers().length).toBe(services.length + 1);

    for (const container of hub.containers()) await expectConfined(container, hub.image.user);

    const ask = (...request: Parameters<StartedHub['ask']>) => hub.ask(...request);
    const client = { client_address: '203.0.113.7' };
    expect(await ask('/admin/connection', { token: secret })).toMatchObject(client);
    const key = newKey();
    const handle = 'ada-7';
    const registration = { handle, agent_type: 'other', public_key: key.publicKey };
    const { challenge } = await ask('/v1/agents/register', { json: registration });
    const signature = key.sign(String(challenge));
    const { token } = await ask('/v1/agents/verify', { json: { handle, signature } });
    const asAgent = { token: String(token) };
    const order = { product: 'eval-run', target_url: `http://${peers.target}:${targetPort}/answer` };
    const redeemed = await ask('/v1/redemptions', { ...asAgent, json: order });
    const { id } = redeemed['eval_job'] as { readonly id: string };
    const readRun = async () => (await ask(`/v1/eval-jobs/${id}`, asAgent))['eval_job'];
    await waitUntil(async () => ((await readRun()) as { readonly status: string }).status === 'completed');
    const scored = { score: expect.any(Number), scorecard: { score_md: expect.any(String) } };
    expect(await readRun()).toMatchObject(scored);
    expect(target.calls.length).toBeGreaterThanOrEqual(40);

    await endInTime(hub);
  },
);
