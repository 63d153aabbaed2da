/** The address of a post. Later posts of a long thread are on pages of their own. */
import { encodeCursor } from '#domain/paging.ts';

export const postsPerPage = 50;

/** The page on which a reader who started at the first post finds this one. */
export function postPath(threadId: string, position: number): string {
  const before = Math.floor((position - 1) / postsPerPage) * postsPerPage;
  const page = before > 0 ? `?cursor=${encodeCursor('posts', [before])}` : '';
  return `/forum/${threadId}${page}#post-${position}`;
}
