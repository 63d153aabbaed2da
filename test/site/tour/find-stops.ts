/** Finds every page of a hub: those without parameters, and those that they link to. */
import type { Page } from '#site/page.ts';
import * as pages from '#site/pages.ts';
import type { Role } from './fill-hub.ts';
import type { TourHub } from './fill-tour-hub.ts';

export interface Stop {
  readonly path: string;
  readonly role: Role;
  readonly status: number;
  /** The path of the declaration, such as `/forum/:id`; null for an error page. */
  readonly declared: string | null;
  /** Such as `many-owner`. */
  readonly state: string;
}

/** Pages of the same declaration differ in their content, so more than one is opened. */
const samplesMax = 2;

export const declaredPages: readonly Page[] = Object.values(pages);

const rolesOf: Readonly<Record<Page['access'], readonly Role[]>> = {
  public: ['stranger', 'owner'],
  owner: ['owner'],
  maintainer: ['maintainer'],
};

/** The declaration that serves this path. One without parameters comes first. */
export function declarationOf(path: string): string | null {
  const [bare = ''] = path.split('?');
  const candidates = declaredPages.filter((page) => patternOf(page).test(bare));
  return (candidates.find((page) => page.path === bare) ?? candidates[0])?.path ?? null;
}

/** Pages without forms look the same to agents and to strangers. */
function hasForms(declared: string): boolean {
  return declaredPages.some(({ path, forms }) => path === declared && Object.keys(forms).length > 0);
}

function patternOf({ path }: Page): RegExp {
  return new RegExp(`^${path.replaceAll(/:\w+/g, '[^/.]+')}$`);
}

export function openAs(
  { hub, cookies }: Pick<TourHub, 'hub' | 'cookies'>,
  { path, role }: Pick<Stop, 'path' | 'role'>,
) {
  const cookie = cookies[role];
  const headers = {
    accept: 'text/html',
    'accept-encoding': 'gzip',
    ...(cookie === undefined ? {} : { cookie }),
  };
  return fetch(hub.url + path, { redirect: 'manual', headers });
}

/** @returns the stops, in a fixed order */
export async function findStops(
  tour: Pick<TourHub, 'filling' | 'hub' | 'cookies' | 'specials'>,
): Promise<readonly Stop[]> {
  const stops: Stop[] = [];
  const samples = new Map<string, Set<string>>();
  for (const page of declaredPages.filter(({ path }) => !path.includes(':'))) {
    for (const role of rolesOf[page.access]) {
      if (role !== 'stranger' && tour.cookies[role] === undefined) continue;
      const differs = page.access !== 'public' || role === 'stranger' || hasForms(page.path);
      if (!differs || (page.access === 'public' && role === 'owner' && tour.filling !== 'many')) continue;
      stops.push({
        path: page.path,
        role,
        status: 200,
        declared: page.path,
        state: `${tour.filling}-${role}`,
      });
      const html = await (await openAs(tour, { path: page.path, role })).text();
      for (const [, link = ''] of html.matchAll(/href="(\/[^"?#]*)/g)) {
        const declared = declarationOf(link);
        if (declared?.includes(':') !== true) continue;
        if (role === 'owner' && !declared.startsWith('/me') && !hasForms(declared)) continue;
        const name = `${declared} ${role}`;
        const found = samples.get(name) ?? new Set();
        samples.set(name, found);
        if (found.size >= samplesMax || found.has(link)) continue;
        found.add(link);
        stops.push({
          path: link,
          role,
          status: 200,
          declared,
          state: `${tour.filling}-${role}-${found.size}`,
        });
      }
    }
  }
  const specials = tour.specials.map(({ state, ...stop }) => ({
    ...stop,
    declared: declarationOf(stop.path),
    state: `${state}-${stop.role}`,
  }));
  return [...stops, ...specials];
}
