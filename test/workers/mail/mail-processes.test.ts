/** The mail pool as `npm start` runs it: separate processes, a real queue, and mail files. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createJobPublisher } from '#runtime/jobs/job-publisher.ts';
import { createLogger } from '#runtime/tracing/log.ts';
import { connectProducer, isReadyWithin } from '#runtime/redis/redis.ts';
import { startTestHub } from '#test/harness/hub.ts';
import { startTestRedis } from '#test/harness/redis.ts';
import { onStore } from '#test/harness/stores.ts';
import { startWorkerProcess } from '#test/harness/worker-process.ts';

const scratch = await mkdtemp(join(tmpdir(), 'hub-mail-'));
afterAll(() => rm(scratch, { recursive: true }));

onStore('sqlite', (store) => {
  test('two mail processes share the messages through Redis, and each message becomes one file', async () => {
    const redis = await startTestRedis();
    const logger = createLogger({ name: 'test', level: 'silent' });
    const producer = connectProducer(redis.url, logger);
    await isReadyWithin(producer, 20_000);
    const publisher = createJobPublisher(producer, logger);
    const dataDir = join(scratch, store.dialect);
    const workers = await Promise.all(
      [1, 2].map(() =>
        startWorkerProcess(
          ['mail'],
          { database: store.setting, redisUrl: redis.url },
          { DATA_DIR: dataDir, CONTACT_TO: 'team@hub.test' },
        ),
      ),
    );
    const now = () => new Date();
    const hub = await startTestHub({
      store,
      redisUrl: redis.url,
      publisher,
      clock: { now, set: () => undefined, advance: () => undefined },
    });
    const answers = await Promise.all(
      Array.from({ length: 7 }, () =>
        hub.fetch('/v1/contact', { json: { contact: 'grace@example.org', message: 'Hello' } }),
      ),
    );
    const statuses = answers.map(({ status }) => status).toSorted((one, other) => one - other);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429]);
    const files = await readdir(join(dataDir, 'mail'));
    expect(files.filter((file) => file.endsWith('.eml'))).toHaveLength(5);
    await Promise.all(workers.map((worker) => worker.end('SIGTERM')));
    await hub.close();
    await publisher.close();
    producer.disconnect();
    await redis.stop();
  });
});
