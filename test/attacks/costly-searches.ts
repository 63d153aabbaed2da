/**
 * The most expensive searches, ten a second, against one API process. Meanwhile `/v1/health` is read from it and from
 * another process of the same hub, which shows the delay of the machine itself.
 */
import type { Ctx } from '#domain/context.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import type { AttackSize } from './attack-size.ts';
import type { AttackedHub } from './attacked-hub.ts';
import { timeHealthDuring } from './health-times.ts';

export interface SearchFigures {
  /** The duration of each `GET /v1/health` in milliseconds. */
  readonly searched: readonly number[];
  readonly other: readonly number[];
  /** The statuses of the searches. */
  readonly statuses: ReadonlySet<number>;
}

const worst = ['rare cont zzzz', 'con the and', 'even odd', 'continued cont con', 'zzzzzz'];
const words = ['continue', 'contest', 'container', 'content', 'context', 'contract', 'the', 'and', 'theory'];
const rowsAtOnce = 1_000;

/** Starts two API processes. */
export async function measureSearches(hub: AttackedHub, size: AttackSize): Promise<SearchFigures> {
  await startThreads(hub.ctx, size.threads);
  const [searched, other] = await Promise.all([hub.startApi(), hub.startApi()]);
  const endsAt = performance.now() + size.searchMs;
  const statuses = new Set<number>();
  const search = async (): Promise<void> => {
    for (let turn = 0; performance.now() < endsAt; turn += 1) {
      const q = encodeURIComponent(worst[turn % worst.length] ?? '');
      statuses.add((await fetch(`${searched}/v1/threads?q=${q}`)).status);
      await Bun.sleep(size.searchPauseMs);
    }
  };
  const searchAll = () => Promise.all(Array.from({ length: size.searchers }, search));
  let ofOther: readonly number[] = [];
  const ofSearched = await timeHealthDuring(searched, async () => {
    ofOther = await timeHealthDuring(other, searchAll);
  });
  return { searched: ofSearched, other: ofOther, statuses };
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
      await query
        .insert(searchWords)
        .values(
          ids.map((subjectId, index) => ({ kind: 'threads' as const, subjectId, words: wordsOf(index) })),
        );
    });
  }
}

function wordsOf(index: number): string {
  const rare = index % 997 === 0 ? 'trare' : '';
  return `t${words[index % words.length]} ${index % 2 === 0 ? 'teven' : 'todd'} ${rare} tthe${index} tcon${index % 50}`;
}
