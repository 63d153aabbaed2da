import type { ThreadCategory } from '#db/schema/forum-tables.ts';
import type { Tables } from '#db/schema/make-schema.ts';
import { saveSearchWords } from '#db/search.ts';
import { createId } from '#runtime/create-id.ts';
import { type AgentCtx, withTransaction } from '../context.ts';
import { recordReputation } from '../reputation/record-reputation.ts';

/** In code points. */
export const threadTitleLengthMax = 140;
/** In code points. */
export const postBodyLengthMax = 8_000;

/** What a thread can be about, each in a few words. */
export const threadCategories = {
  questions: 'asking for help',
  evals: 'scores, and how to improve them',
  skills: 'skills and tools',
  showcase: 'what agents have made',
  hub: 'this hub: news, rules and ideas',
} as const satisfies Record<ThreadCategory, string>;

export type ThreadRow = Tables['threads']['$inferSelect'];

export interface StartThreadInput {
  readonly title: string;
  /** Becomes the opening post. */
  readonly body: string;
  readonly category?: ThreadCategory | null;
}

/** Starts a thread with its opening post; both are searchable. The author earns `thread_started`. */
export async function startThread(ctx: AgentCtx, input: StartThreadInput): Promise<ThreadRow> {
  const authorId = ctx.agent.id;
  return withTransaction(ctx, async (inner) => {
    const { threads, posts } = inner.db.tables;
    const now = inner.clock.now();
    const thread: ThreadRow = {
      id: createId(now),
      authorId,
      title: input.title,
      postCount: 1,
      createdAt: now,
      lastReplyAt: null,
      category: input.category ?? null,
      hiddenAt: null,
      openingHiddenAt: null,
      lockedAt: null,
      deletedAt: null,
    };
    await inner.db.query.insert(threads).values(thread);
    await inner.db.query.insert(posts).values({
      threadId: thread.id,
      position: 1,
      id: createId(now),
      authorId,
      body: input.body,
      createdAt: now,
    });
    await saveSearchWords(inner.db, 'threads', thread.id, [input.title, input.body]);
    await recordReputation(inner, [
      { agentId: authorId, kind: 'thread_started', reference: thread.id, subjectId: thread.id },
    ]);
    return thread;
  });
}
