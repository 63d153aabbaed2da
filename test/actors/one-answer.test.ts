/**
 * Many activations of one actor at once, as when locks expire under load and Redis loses its data: each command gets
 * at most one answer, and that answer is true. The seed determines the pauses; `ANSWER_SEED` replays it.
 */
import { beforeAll, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { createClaims, runActivation } from '#actors/activation.ts';
import type { Committer } from '#actors/actor-type.ts';
import { createCommitter } from '#actors/committer.ts';
import type { Mailboxes } from '#actors/mailbox.ts';
import { withTransaction } from '#domain/context.ts';
import { createRandom, type Random } from '#evals/random.ts';
import { redisNames } from '#runtime/redis/redis-names.ts';
import { createTestCtx } from '#test/harness/ctx.ts';
import { silentLogger as silent } from '#test/harness/silent-logger.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { useConnections } from './connections.ts';
import { counterTables, useCounters } from './counter-actor.ts';
import { wire } from './messages.ts';

const processes = 3;
const commands = 240;
const sentAtOnce = 4;
/** Commands in the mailbox. Few, so that emptying Redis loses few. */
const waitingMax = 12;
const flushEvery = 60;
const pauseMs = { least: 0, most: 4 };
/** Between activations of a process. After shorter rests, they would mostly supersede each other. */
const restMs = { least: 5, most: 25 };

forEachStore((store) => {
  const { type, create } = useCounters(store);
  const { redis, subscriber, mailboxes } = useConnections();
  const answers = new Map<string, unknown[]>();

  beforeAll(async () => {
    subscriber.on('message', (_, text: string) => {
      for (const [id, result] of JSON.parse(text) as [string, unknown][]) {
        answers.set(id, [...(answers.get(id) ?? []), result]);
      }
    });
    await subscriber.subscribe(`${redisNames.replies}me`);
  });

  /** A process that is slow at every step, and activates the actor over and over. */
  async function keepActivating(id: string, random: Random, over: AbortSignal): Promise<void> {
    const pause = () => Bun.sleep(random.int(pauseMs.least, pauseMs.most));
    const ctx = createTestCtx(store.db);
    const slow: Mailboxes = {
      ...mailboxes,
      take: async (...words) => {
        await pause();
        const entries = await mailboxes.take(...words);
        await pause();
        return entries;
      },
    };
    const committer = createCommitter(ctx, type, silent);
    const slowCommitter: Committer = {
      commit: async (work) => {
        const done = await committer.commit(work);
        await pause();
        return done;
      },
    };
    const claims = createClaims((actorIds) => withTransaction(ctx, (inner) => type.claim(inner, actorIds)));
    const deps = { type, committer: slowCommitter, mailboxes: slow, claims, logger: silent };
    while (!over.aborted) {
      await runActivation({ ...deps, isTurnOver: async () => random.int(0, 3) === 0 }, `counter/${id}`, id);
      await Bun.sleep(random.int(restMs.least, restMs.most));
    }
  }

  test('with three activations at once and an emptied Redis, no command is refused and yet carried out', async () => {
    const seed = process.env['ANSWER_SEED'] ?? randomBytes(8).toString('hex');
    console.log(`ANSWER_SEED=${seed}`);
    const random = createRandom(seed, 'commands');
    const id = await create();
    const over = new AbortController();
    const running = Array.from({ length: processes }, (_, index) =>
      keepActivating(id, createRandom(seed, `process ${index}`), over.signal),
    );
    const stepOf = (index: number) => `${id} ${index}`;
    for (let sent = 0; sent < commands; sent += sentAtOnce) {
      const sending = Array.from({ length: sentAtOnce }, (_, part) => {
        const step = stepOf(sent + part);
        const act = random.pick(['onlyIfEven', 'count'] as const);
        return wire(step, { replyTo: 'me', command: { step, act } });
      });
      await mailboxes.append(`counter/${id}`, sending);
      await waitUntil(async () => (await redis.xlen(redisNames.mailbox(`counter/${id}`))) <= waitingMax);
      await Bun.sleep(random.int(pauseMs.least, 2 * pauseMs.most));
      if (sent % flushEvery === flushEvery - sentAtOnce) await redis.flushall();
    }
    await waitUntil(async () => (await redis.exists(redisNames.mailbox(`counter/${id}`))) === 0);
    over.abort();
    await Promise.all(running);
    const { steps } = counterTables[store.dialect];
    const counted = await store.db.query.select().from(steps).where(eq(steps.counterId, id));
    const stored = new Set(counted.map(({ step }) => step));
    const wrong = [...answers].filter(([step, results]) => {
      const [result] = results as { reply?: { value: number } }[];
      return results.length !== 1 || (result?.reply !== undefined) !== stored.has(step);
    });
    expect(wrong).toEqual([]);
    // Emptying Redis loses commands, but not most of them.
    expect(answers.size).toBeGreaterThan(commands / 2);
    answers.clear();
  });
});
