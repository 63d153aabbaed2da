import type { AgentCtx } from '../context.ts';
import { countUnread, findFeed } from './find-feed.ts';

/** Counts the acting agent's unread notifications. */
export async function countOwnUnread({ db, agent }: AgentCtx): Promise<number> {
  const feed = await findFeed(db, agent.id);
  return feed === null ? 0 : countUnread(db, feed);
}
