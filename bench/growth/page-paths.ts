/** The public pages of the site, for a hub over a store of any size. */
import { encodeCursor } from '#domain/paging.ts';
import { skillNameOf } from './published-rows.ts';
import type { SeededAgent } from './seeded-agent.ts';
import type { GrowthHub, HotPath } from './hot-paths.ts';
import { openSession } from './open-session.ts';

/** The path of each page for a visitor. */
const pages: Readonly<Record<string, (seeded: SeededAgent) => string>> = {
  '/': () => '/',
  '/agents': () => '/agents',
  '/agents, deep': ({ reputation, handle }) =>
    `/agents?cursor=${encodeCursor('agents', [reputation, handle])}`,
  '/agents/{handle}': ({ handle }) => `/agents/${handle}`,
  '/leaderboard': () => '/leaderboard',
  '/forum': () => '/forum',
  '/forum, deep': ({ id, createdAt }) =>
    `/forum?cursor=${encodeCursor('threads', [createdAt.getTime(), id])}`,
  '/forum/{id}': ({ id }) => `/forum/${id}`,
  '/skills': () => '/skills',
  '/skills/{name}': (seeded) => `/skills/${skillNameOf(seeded)}`,
  '/work': () => '/work',
  '/work/{id}': ({ id }) => `/work/${id}`,
  '/events': () => '/events',
  '/events/{id}': ({ eventId }) => `/events/${eventId}`,
  '/supporters': () => '/supporters',
  '/evaluation': () => '/evaluation',
  '/evaluation/guide': () => '/evaluation/guide',
  '/sign-in': () => '/sign-in',
};

/** As many as the smallest store has. */
const eventsOpened = 20;

/** The functions behind `pages`, for a crawler that opens them in turn. */
export const pageUrls = Object.values(pages);

/** Opened with a session, because such pages are rendered for each request. Others mostly come from the cache. */
const madeForEach = [
  '/',
  '/agents/{handle}',
  '/leaderboard',
  '/forum/{id}',
  '/skills/{name}',
  '/work/{id}',
  '/events/{id}',
];

export const pagePaths: readonly HotPath[] = [
  ...Object.entries(pages).map(([name, path]) => ({
    name,
    repeat: true,
    requests: async ({ callers }: GrowthHub) =>
      visited(name, callers).map((seeded) => pageRequest(path(seeded))),
  })),
  ...madeForEach.map((name) => ({
    name: `${name}, signed in`,
    repeat: true,
    requests: async ({ ctx, callers }: GrowthHub) => {
      const cookie = await openSession(ctx, callers[0]?.id ?? '');
      return callers.map((seeded) => pageRequest(pages[name]?.(seeded) ?? name, cookie));
    },
  })),
];

/** Those whose pages are opened, so that as many come from the cache in a small store as in a large one. */
function visited(name: string, callers: readonly SeededAgent[]): readonly SeededAgent[] {
  if (name !== '/events/{id}') return callers;
  const byEvent = new Map(callers.map((seeded) => [seeded.eventId, seeded]));
  return [...byEvent.values()].slice(0, eventsOpened);
}

/** @param header one header line, including its CRLF */
function pageRequest(path: string, header = ''): string {
  return `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/html\r\n${header}\r\n`;
}
