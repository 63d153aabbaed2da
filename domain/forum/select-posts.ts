import { eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';

export interface ShownPost {
  /** 1 is the opening post. */
  readonly position: number;
  readonly id: string | null;
  readonly authorId: string;
  readonly authorHandle: string;
  /** Empty if the post is deleted. */
  readonly body: string;
  readonly createdAt: Date;
  readonly editedAt: Date | null;
  readonly hiddenAt: Date | null;
  readonly deletedAt: Date | null;
}

/**
 * A query for posts with their authors' handles; the caller adds the conditions. Its rows are {@link
 * ShownPost}.
 */
export function selectPosts({ query, tables }: Database) {
  const { agents, posts } = tables;
  return query
    .select({
      position: posts.position,
      id: posts.id,
      authorId: posts.authorId,
      authorHandle: agents.handle,
      body: posts.body,
      createdAt: posts.createdAt,
      editedAt: posts.editedAt,
      hiddenAt: posts.hiddenAt,
      deletedAt: posts.deletedAt,
    })
    .from(posts)
    .innerJoin(agents, eq(agents.id, posts.authorId));
}
