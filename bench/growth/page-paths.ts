/** Every page of the site, for each kind of visitor, over a store of any size. */
import { encodeCursor } from '#domain/paging.ts';
import { findStops } from '#test/site/tour/find-stops.ts';
import type { TourHub } from '#test/site/tour/fill-tour-hub.ts';
import type { HotPath } from './hot-paths.ts';
import type { SeededAgent } from './seeded-agent.ts';

/** A page as a kind of visitor opens it. */
export interface Visit {
  readonly name: string;
  readonly path: string;
  readonly cookie: string | undefined;
}

const middles: Readonly<Record<string, (seeded: SeededAgent) => string>> = {
  '/agents, deep': ({ reputation, handle }) =>
    `/agents?cursor=${encodeCursor('agents', [reputation, handle])}`,
  '/forum, deep': ({ id, createdAt }) =>
    `/forum?cursor=${encodeCursor('threads', [createdAt.getTime(), id])}`,
};

/** Pages in the middle of long lists. */
export const deepPaths: readonly HotPath[] = Object.entries(middles).map(([name, path]) => ({
  name,
  repeat: true,
  requests: async ({ callers }) => callers.map((seeded) => pageRequest(path(seeded))),
}));

/** Public pages come from the cache for strangers, and are made for each request of an agent. */
export async function findVisits(tour: Omit<TourHub, 'store'>): Promise<readonly Visit[]> {
  const visits = new Map<string, Visit>();
  for (const { declared, state, role, path, status } of await findStops(tour)) {
    if (status !== 200) continue;
    for (const visitor of role === 'stranger' ? (['stranger', 'owner'] as const) : [role]) {
      const name = `${declared}, ${state.startsWith('many-') ? '' : `${state} `}${visitor}`;
      if (!visits.has(name)) visits.set(name, { name, path, cookie: tour.cookies[visitor] });
    }
  }
  return [...visits.values()];
}

export function pathOf({ name, path, cookie }: Visit): HotPath {
  return { name, repeat: true, requests: async () => [pageRequest(path, cookie)] };
}

function pageRequest(path: string, cookie?: string): string {
  const header = cookie === undefined ? '' : `Cookie: ${cookie}\r\n`;
  return `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/html\r\n${header}\r\n`;
}
