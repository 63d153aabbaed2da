/** Clients of a Redis Cluster. `test/faults/failover.test.ts` runs a hub on one. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Cluster } from 'ioredis';
import { checkRedis } from '#runtime/redis/check-redis.ts';
import { describeRedis } from '#runtime/redis/redis-address.ts';
import { mailboxShards, redisNames } from '#runtime/redis/redis-names.ts';
import {
  connectProducer,
  connectSubscriber,
  connectWorker,
  isReadyWithin,
  keepSubscribed,
} from '#runtime/redis/redis.ts';
import { readReplicationId } from '#runtime/redis/replication-id.ts';
import { freePorts } from '#test/harness/free-ports.ts';
import { startRedisCluster } from '#test/harness/redis-cluster.ts';
import { type RedisServer, startRedisServer } from '#test/harness/redis-server.ts';
import { type ReplicatedRedis, untilPromoted } from '#test/harness/replicated-redis.ts';
import { silentLogger as logger } from '#test/harness/silent-logger.ts';
import { useTestFolder } from '#test/harness/test-folder.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

const readyMs = 20_000;
let cluster: ReplicatedRedis;
let lone: RedisServer;

beforeAll(async () => {
  const [port = 0] = await freePorts(1);
  [cluster, lone] = await Promise.all([startRedisCluster(), startRedisServer({ port, folder })]);
});
afterAll(() => Promise.all([cluster?.stop(), lone?.stop()]));
const folder = useTestFolder();

describe('the check before the start', () => {
  test('accepts a Cluster, even if the first server of the address is away', async () => {
    await checkRedis(cluster.url);
    await checkRedis(cluster.url.replace('://', '://127.0.0.1:1,'));
  });

  test('suggests the right form of address for a server of a Cluster, and for a single server', async () => {
    const [server] = cluster.servers;
    await expect(checkRedis(`redis://127.0.0.1:${server?.port}`)).rejects.toThrow(
      /belongs to a Cluster\. Set REDIS_URL to redis\+cluster:/,
    );
    await expect(checkRedis(`redis+cluster://127.0.0.1:${lone.port}`)).rejects.toThrow(
      /has no cluster mode\. Set REDIS_URL to redis:/,
    );
  });

  test('says that no server responds, and that the password is wrong, without showing it', async () => {
    await expect(checkRedis('redis+cluster://:hunter2@127.0.0.1:1')).rejects.toThrow(
      /^Redis at the Cluster of 127\.0\.0\.1:1 cannot be reached/,
    );
    await lone.admin.config('SET', 'requirepass', 'right');
    const url = `redis+cluster://:hunter2@127.0.0.1:${lone.port}`;
    await expect(checkRedis(url)).rejects.toThrow(/rejected the user or the password in REDIS_URL/);
    expect(describeRedis(url)).not.toContain('hunter2');
  });
});

test('a client that is told to reconnect while it connects does so, and so does a copy of it', async () => {
  // The address is that of a Cluster.
  const client = connectWorker(cluster.url, logger) as Cluster;
  await expectToReconnect(client);
  const copy = client.duplicate();
  await expectToReconnect(copy);
  client.disconnect();
  copy.disconnect();
});

async function expectToReconnect(client: Cluster): Promise<void> {
  expect(client.status).toBe('connecting');
  client.disconnect(true);
  expect(await client.set('{any}', 'value')).toBe('OK');
}

test('a client that is closed soon after it was told to reconnect stays closed', async () => {
  const [closed, quit] = [connectWorker(cluster.url, logger), connectWorker(cluster.url, logger)];
  expect(await isReadyWithin(quit, readyMs)).toBe(true);
  for (const client of [closed, quit]) client.disconnect(true);
  closed.disconnect();
  await quit.quit();
  await Bun.sleep(3_000);
  for (const { status } of [closed, quit]) expect(['disconnecting', 'close', 'end']).toContain(status);
});

test('a client rejects commands once closed, and a second `connect` resolves when the Cluster is ready, even if it was not at first', async () => {
  // The address is that of a Cluster.
  const client = connectWorker(cluster.url, logger) as Cluster;
  await waitUntil(async () => client.status === 'ready');
  client.disconnect();
  await waitUntil(async () => client.status === 'end');
  await expect(client.get('{any}')).rejects.toThrow('Connection is closed');
  // The first server, which owns the first slot, forgets it before the others do.
  const masters = cluster.servers.slice(0, 3);
  for (const { admin } of masters) await admin.call('CLUSTER', 'DELSLOTS', 0);
  const connected = client.connect();
  await new Promise((resolve) => client.once('reconnecting', resolve));
  await masters[0]!.admin.call('CLUSTER', 'ADDSLOTS', 0);
  await connected;
  expect(client.status).toBe('ready');
  client.disconnect();
  await cluster.settle();
});

test('the shards of the mailboxes are on all masters', async () => {
  const producer = connectProducer(cluster.url, logger);
  expect(await isReadyWithin(producer, readyMs)).toBe(true);
  await Promise.all(mailboxShards.map((shard) => producer.set(redisNames.mailboxes(shard), 'x')));
  const masters = await cluster.masters();
  const found = await Promise.all(masters.map(({ admin }) => admin.keys('hub:{s*}:mailboxes')));
  const sizes = found.map((keys) => keys.length);
  expect(sizes.reduce((sum, size) => sum + size)).toBe(mailboxShards.length);
  expect(Math.min(...sizes)).toBeGreaterThan(mailboxShards.length / 6);
  producer.disconnect();
});

test('after a failover, clients use and listen to the new master, and the replication id has changed', async () => {
  const producer = connectProducer(cluster.url, logger);
  const subscriber = connectSubscriber(cluster.url, logger);
  const heard: string[] = [];
  subscriber.on('message', (_: string, text: string) => heard.push(text));
  keepSubscribed(subscriber, 'hub:news');
  expect(await isReadyWithin(producer, readyMs)).toBe(true);
  await waitUntil(async () => (await producer.publish('hub:news', 'before'), heard.includes('before')));
  const idBefore = await readReplicationId(producer);
  expect(idBefore?.split(',')).toHaveLength(3);

  const [master] = await cluster.masters();
  const replica = await cluster.replicaOf(master!);
  await master!.kill();
  await untilPromoted(replica);
  const write = (key: string) => producer.set(key, '1').catch(() => null);
  await waitUntil(async () =>
    (await Promise.all(mailboxShards.map((shard) => write(redisNames.mailboxes(shard))))).every(
      (reply) => reply === 'OK',
    ),
  );
  await waitUntil(
    async () => (await producer.publish('hub:news', 'after').catch(() => 0), heard.includes('after')),
  );
  let idAfter: string | null = null;
  await waitUntil(async () => (idAfter = await readReplicationId(producer).catch(() => null)) !== null);
  expect(idAfter).not.toBe(idBefore);
  producer.disconnect();
  subscriber.disconnect();
});
