/** The start scripts of the variant `sentinel`, with real servers and the hub's own client, through a failover. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
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

const count = 3;
const logger = createLogger({ name: 'test', level: 'silent' });
/** Short times, and only addresses of this machine. */
const changes = [
  { file: 'redis.conf', from: /$/, to: 'repl-diskless-sync-delay 0\nbind 127.0.0.1 -::1\n' },
  { file: 'sentinel.conf', from: /milliseconds hub \d+/, to: 'milliseconds hub 1500' },
  { file: 'sentinel.conf', from: /timeout hub \d+/, to: 'timeout hub 3000\nbind 127.0.0.1 -::1' },
];
let pods: ScriptPods;
let redis: ScriptPod[];
let sentinels: ScriptPod[];
let url: string;

async function masterOf({ admin }: ScriptPod): Promise<string> {
  return [await admin.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'hub')].flat().join(' ');
}

async function knownTo({ admin }: ScriptPod): Promise<string> {
  const lists = [
    await admin.call('SENTINEL', 'REPLICAS', 'hub'),
    await admin.call('SENTINEL', 'SENTINELS', 'hub'),
  ];
  return lists.map((list) => (Array.isArray(list) ? list.length : 0)).join();
}

async function roleOf({ admin }: ScriptPod): Promise<string> {
  const [role, host, port] = await admin.role();
  return role === 'slave' ? `replica of ${String(host)} ${String(port)}` : String(role);
}

beforeAll(async () => {
  const ports = await freePorts(2 * count);
  pods = await prepareScripts('sentinel', changes);
  const environment = {
    FIRST_MASTER: `localhost ${ports[0]}`,
    SENTINELS: ports
      .slice(count)
      .map((port) => `localhost:${port}`)
      .join(' '),
  };
  const all = await Promise.all(
    ports.map((port, index) =>
      pods.add(index < count ? 'start-redis.sh' : 'start-sentinel.sh', port, environment),
    ),
  );
  [redis, sentinels] = [all.slice(0, count), all.slice(count)];
  const password = encodeURIComponent(podPassword);
  const hosts = sentinels.map(({ port }) => `localhost:${port}`).join(',');
  url = `redis+sentinel://:${password}@${hosts}/hub?sentinel_password=${password}`;
  await Promise.all(redis.map((pod) => pod.start()));
  // Otherwise the Sentinels would look for replicas too early, and only again after ten seconds.
  await waitUntil(async () => /connected_slaves:2/.test(await redis[0]!.admin.info('replication')));
  await Promise.all(sentinels.map((pod) => pod.start()));
  await waitUntil(async () => (await Promise.all(sentinels.map(knownTo))).every((known) => known === '2,2'));
});

afterAll(() => pods?.stop());

test('the hub follows a failover by name, and servers and Sentinels keep what they have learned', async () => {
  const [first, ...replicas] = redis as [ScriptPod, ScriptPod, ScriptPod];
  expect(await Promise.all(redis.map(roleOf))).toEqual([
    'master',
    `replica of localhost ${first.port}`,
    `replica of localhost ${first.port}`,
  ]);
  await checkRedis(url);
  const producer = connectProducer(url, logger);
  const writes = () => producer.set('hub:key', 'value').then(Boolean, () => false);
  await waitUntil(writes);

  await first.kill();
  await waitUntil(writes);
  const [sentinel] = sentinels as [ScriptPod];
  const master = await masterOf(sentinel);
  const promoted = replicas.find(({ port }) => master === `localhost ${port}`);
  const other = replicas.find((pod) => pod !== promoted);
  expect(await promoted?.admin.get('hub:key')).toBe('value');
  producer.disconnect();

  // The Sentinels say so.
  const following = `replica of localhost ${promoted?.port}`;
  await first.start();
  expect(await roleOf(first)).toBe(following);

  const id = await sentinel.admin.call('SENTINEL', 'MYID');
  await sentinel.kill();
  await sentinel.start();
  expect(await masterOf(sentinel)).toBe(`localhost ${promoted?.port}`);
  expect([await sentinel.admin.call('SENTINEL', 'MYID'), await knownTo(sentinel)]).toEqual([id, '2,2']);

  // Without Sentinels, servers return to their roles before the restart.
  await Promise.all([...redis, ...sentinels].map((pod) => pod.kill()));
  await Promise.all(redis.map((pod) => pod.start()));
  for (const pod of [first, other]) expect(pod === undefined ? '' : await roleOf(pod)).toBe(following);
  expect(promoted === undefined ? '' : await roleOf(promoted)).toBe('master');
  expect(await promoted?.admin.get('hub:key')).toBe('value');
});
