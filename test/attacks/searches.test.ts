/**
 * The most expensive searches, ten a second, against one API process of a hub on SQLite. Meanwhile `/v1/health` is read
 * from it, which stays below 50 ms, and from another process of the same hub, which shows the delay of the machine
 * itself. It took 1.7 seconds when searches ran in the event loop of the API.
 */
import { expect, test } from 'bun:test';
import type { Ctx } from '#domain/context.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { onStore } from '#test/harness/stores.ts';
import { type AttackedHub, attackHub } from './attack-hub.ts';
import { attackSize, quantile, report } from './attack-size.ts';
import { timeHealthDuring } from './health-times.ts';

/** A pause of the machine may hit one of the two processes. A defect shows every time. */
const measurementsMax = 3;

const worst = ['rare cont zzzz', 'con the and', 'even odd', 'continued cont con', 'zzzzzz'];
const words = ['continue', 'contest', 'container', 'content', 'context', 'contract', 'the', 'and', 'theory'];
const rowsAtOnce = 1_000;

onStore('sqlite', (store) => {
  const hub = attackHub(store);

  test('health stays fast during the worst searches', async () => {
    let measured = await measureSearches(hub());
    for (let taken = 1; taken < measurementsMax && !measured.isFast; taken += 1)
      measured = await measureSearches(hub());
    const { searched, other, statuses } = measured;
    report('health beside searches, ms', searched);
    report('health of another process, ms', other);
    expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([]);
    expect(statuses.has(200)).toBe(true);
    expect(measured).toMatchObject({ isFast: true });
  }, 300_000);
});

const summary = (values: readonly number[]) => ({ p50: quantile(values, 0.5), p99: quantile(values, 0.99) });

/** Starts two API processes. */
async function measureSearches(hub: AttackedHub) {
  await startThreads(hub.ctx, attackSize.threads);
  const [searched, other] = await Promise.all([hub.startApi(), hub.startApi()]);
  const endsAt = performance.now() + attackSize.searchMs;
  const statuses = new Set<number>();
  const search = async (): Promise<void> => {
    for (let turn = 0; performance.now() < endsAt; turn += 1) {
      const q = encodeURIComponent(worst[turn % worst.length] ?? '');
      statuses.add((await fetch(`${searched}/v1/threads?q=${q}`)).status);
      await Bun.sleep(attackSize.searchPauseMs);
    }
  };
  const searchAll = () => Promise.all(Array.from({ length: attackSize.searchers }, search));
  let ofOther: readonly number[] = [];
  const ofSearched = await timeHealthDuring(searched, async () => {
    ofOther = await timeHealthDuring(other, searchAll);
  });
  const [own, others] = [summary(ofSearched), summary(ofOther)];
  // On a busy machine, a process that serves no searches is slow too. Searches in the event loop multiply the p50 by ten.
  const isFast = own.p50 < Math.max(3, 3 * others.p50) && own.p99 < Math.max(50, 3 * others.p99);
  return { searched: own, other: others, statuses, isFast };
}

async function startThreads(ctx: Ctx, count: number): Promise<void> {
  const { id: authorId } = await createTestAgent(ctx);
  const { searchWords, threads } = ctx.db.tables;
  const now = Date.now();
  for (let start = 0; start < count; start += rowsAtOnce) {
    const ids = Array.from({ length: rowsAtOnce }, (_, index) =>
      Bun.randomUUIDv7('hex', now + start + index),
    );
    const rows = ids.map((id, index) => ({ id, title: `Thread ${start + index}` }));
    const common = { authorId, postCount: 1, createdAt: new Date(now), lastPostAt: new Date(now) };
    await ctx.db.transaction(async ({ query }) => {
      await query.insert(threads).values(rows.map((row) => ({ ...row, ...common })));
      const found = ids.map((subjectId, index) => ({ subjectId, words: wordsOf(index) }));
      await query.insert(searchWords).values(found.map((row) => ({ kind: 'threads' as const, ...row })));
    });
  }
}

function wordsOf(index: number): string {
  const rare = index % 997 === 0 ? 'trare' : '';
  return `t${words[index % words.length]} ${index % 2 === 0 ? 'teven' : 'todd'} ${rare} tthe${index} tcon${index % 50}`;
}
