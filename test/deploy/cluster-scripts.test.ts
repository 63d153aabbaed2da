/** The start scripts of the variant `cluster`, with real servers and the hub's own client. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { checkRedis } from '#runtime/redis/check-redis.ts';
import { connectProducer } from '#runtime/redis/redis.ts';
import { createLogger } from '#runtime/tracing/log.ts';
import { freePorts } from '#test/harness/free-ports.ts';
import {
  podPassword,
  prepareScripts,
  type ScriptPod,
  type ScriptPods,
} from '#test/harness/variant-scripts.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

const count = 6;
const logger = createLogger({ name: 'test', level: 'silent' });
/** Short times, and only addresses of this machine. */
const changes = [
  { file: 'redis.conf', from: /$/, to: 'repl-diskless-sync-delay 0\nbind 127.0.0.1 -::1\n' },
  { file: 'redis.conf', from: /timeout \d+/, to: 'timeout 1000' },
  { file: 'join-cluster.sh', from: /every_seconds=\d+/, to: 'every_seconds=1' },
];
let pods: ScriptPods;
let servers: ScriptPod[];

/** Among themselves, servers use the port plus 10000. */
async function clusterPorts(): Promise<readonly number[]> {
  const candidates = await freePorts(4 * count);
  const found = await Promise.all(
    candidates.map(async (port) => ((await isFree(port + 10_000)) ? [port] : [])),
  );
  return found.flat().slice(0, count);
}

async function isFree(port: number): Promise<boolean> {
  try {
    const server = createServer().listen(port, '127.0.0.1');
    await once(server, 'listening');
    await once(server.close(), 'close');
    return true;
  } catch {
    return false;
  }
}

/** Of every server: the port of its master, or "master", and whether it has that master's data. */
async function roles(): Promise<readonly string[]> {
  return Promise.all(
    servers.map(async ({ admin }) => {
      const [role, , port, state] = await admin.role();
      return role === 'slave' ? `${String(port)} ${String(state)}` : String(role);
    }),
  );
}

async function isComplete(): Promise<boolean> {
  const states = await Promise.all(servers.map(({ admin }) => admin.cluster('INFO')));
  const found = await roles();
  const masters = servers
    .filter((_, index) => found[index] === 'master')
    .map(({ port }) => `${port} connected`);
  return (
    states.every((state) => state.includes('cluster_state:ok')) &&
    masters.length === count / 2 &&
    masters.every((master) => found.includes(master))
  );
}

beforeAll(async () => {
  const ports = await clusterPorts();
  pods = await prepareScripts('cluster', changes);
  const addresses = ports.map((port) => `localhost:${port}`).join(' ');
  servers = await Promise.all(
    ports.map((port) => pods.add('start-redis.sh', port, { POD_IP: '127.0.0.1', SERVERS: addresses })),
  );
  await Promise.all(servers.map((server) => server.start()));
  await waitUntil(isComplete);
});

afterAll(() => pods?.stop());

test('a master does not stay without a replica while another has two', async () => {
  // Redis would only repair it for a master that already had a replica.
  await Promise.all(servers.map(({ admin }) => admin.config('SET', 'cluster-allow-replica-migration', 'no')));
  const found = await roles();
  const masters = servers.filter((_, index) => found[index] === 'master');
  const replica = servers.find((_, index) => found[index] === `${masters[0]?.port} connected`);
  const otherId = String(await masters[1]?.admin.cluster('MYID'));
  expect(await replica?.admin.cluster('REPLICATE', otherId)).toBe('OK');
  await waitUntil(isComplete);
});

test('the servers form a Cluster that the hub reaches by name, and one that lost its data becomes a replica', async () => {
  const [first, second] = servers as [ScriptPod, ScriptPod];
  const url = `redis+cluster://:${encodeURIComponent(podPassword)}@localhost:${first.port}`;
  await checkRedis(url);
  const producer = connectProducer(url, logger);
  const writes = () =>
    Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map((key) => producer.set(`hub:${key}`, 'value'))).then(
      () => true,
      () => false,
    );
  await waitUntil(writes);
  const shares = await first.admin.cluster('SLOTS');
  expect(shares.map(([, , master]) => master?.[0])).toEqual(['localhost', 'localhost', 'localhost']);

  await second.kill();
  await waitUntil(writes);
  await second.loseData();
  await second.start();
  await waitUntil(isComplete);
  expect(await second.admin.role().then(([role]) => role)).toBe('slave');
  await waitUntil(writes);
  producer.disconnect();
});
