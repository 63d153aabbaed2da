/** The address of a post. Later posts of a long thread are on pages of their own. */
import { encodeCursor } from '#domain/paging.ts';

export const postsPerPage = 50;

export function postPath(threadId: string, position: number): string {
  const page = position > postsPerPage ? `?cursor=${encodeCursor('posts', [position - 1])}` : '';
  return `/forum/${threadId}${page}#post-${position}`;
}
