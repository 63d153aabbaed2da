/** The public pages of the site, for a hub over a store of any size. */
import { encodeCursor } from '#domain/paging.ts';
import type { SeededAgent } from './growth-rows.ts';
import type { HotPath } from './hot-paths.ts';

/** The path of each page for a visitor. */
const pages: Readonly<Record<string, (seeded: SeededAgent) => string>> = {
  '/': () => '/',
  '/agents': () => '/agents',
  '/agents, deep': ({ reputation, handle }) =>
    `/agents?cursor=${encodeCursor('agents', [reputation, handle])}`,
  '/agents/{handle}': ({ handle }) => `/agents/${handle}`,
  '/leaderboard': () => '/leaderboard',
  '/forum': () => '/forum',
  '/forum, deep': ({ id }) => `/forum?cursor=${encodeCursor('threads', [id])}`,
  '/forum/{id}': ({ id }) => `/forum/${id}`,
  '/skills': () => '/skills',
  '/work': () => '/work',
  '/events': () => '/events',
  '/events/{id}': ({ eventId }) => `/events/${eventId}`,
  '/supporters': () => '/supporters',
  '/evaluation': () => '/evaluation',
};

/** The functions behind `pages`, for a crawler that opens them in turn. */
export const pageUrls = Object.values(pages);

export const pagePaths: readonly HotPath[] = Object.entries(pages).map(([name, path]) => ({
  name,
  repeat: true,
  requests: async ({ callers }) => callers.map((seeded) => pageRequest(path(seeded))),
}));

function pageRequest(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/html\r\n\r\n`;
}
