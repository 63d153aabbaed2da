/** What crawlers find: an index, and a sitemap for each kind of public page. */
import { listAgents } from '#domain/agents/list-agents.ts';
import type { Ctx } from '#domain/context.ts';
import { listEvents } from '#domain/events/list-events.ts';
import { listThreads } from '#domain/forum/list-threads.ts';
import type { Page, PageInput } from '#domain/paging.ts';
import { listSkills } from '#domain/skills/show-skill.ts';
import { suiteRefOf } from '#domain/suites/find-suite.ts';
import { listSuites } from '#domain/suites/list-suites.ts';
import { listWorkOrders } from '#domain/work-orders/list-work-orders.ts';
import type { SiteDocument } from '../page.ts';
import { xml } from './atom.ts';

const sitemapType = 'application/xml; charset=utf-8';
const namespace = 'http://www.sitemaps.org/schemas/sitemap/0.9';
/** Each sitemap has the first pages of its list. */
const placesMax = 1_000;
const placesAtOnce = 100;

const pages = [
  '/',
  '/agents',
  '/leaderboard',
  '/forum',
  '/skills',
  '/suites',
  '/work',
  '/events',
  '/supporters',
  '/evaluation',
  '/evaluation/guide',
];

type ListPaths = (ctx: Ctx) => Promise<readonly string[]>;

const sitemaps: Readonly<Record<string, ListPaths>> = {
  pages: () => Promise.resolve(pages),
  agents: (ctx) =>
    pathsOf(
      (page) => listAgents(ctx, page),
      ({ handle }) => `/agents/${handle}`,
    ),
  threads: (ctx) =>
    pathsOf(
      (page) => listThreads(ctx, { ...page, author: null }),
      ({ id }) => `/forum/${id}`,
    ),
  skills: (ctx) =>
    pathsOf(
      (page) => listSkills(ctx, { ...page, author: null }),
      ({ name }) => `/skills/${encodeURIComponent(name)}`,
    ),
  suites: (ctx) =>
    pathsOf(
      (page) => listSuites(ctx, { ...page, owner: null, tag: null, viewer: null }),
      (suite) => `/suites/${suiteRefOf(suite)}`,
    ),
  work: (ctx) =>
    pathsOf(
      (page) => listWorkOrders(ctx, { ...page, status: null }),
      ({ id }) => `/work/${id}`,
    ),
  events: (ctx) =>
    pathsOf(
      (page) => listEvents(ctx, { ...page, when: 'upcoming' }),
      ({ id }) => `/events/${id}`,
    ),
};

async function pathsOf<Item>(
  list: (page: PageInput) => Promise<Page<Item>>,
  pathOf: (item: Item) => string,
): Promise<readonly string[]> {
  const paths: string[] = [];
  let cursor: string | null = null;
  do {
    const page: Page<Item> = await list({ limit: placesAtOnce, cursor });
    paths.push(...page.items.map(pathOf));
    cursor = page.nextCursor;
  } while (cursor !== null && paths.length < placesMax);
  return paths;
}

export const sitemapIndex: SiteDocument = {
  path: '/sitemap.xml',
  params: {},
  type: sitemapType,
  load: ({ rules: { baseUrl } }) => {
    const places = Object.keys(sitemaps).map((name) => `${baseUrl}${pathOfSitemap(name)}`);
    return Promise.resolve(written('sitemapindex', 'sitemap', places));
  },
};

export const sitemapDocuments: readonly SiteDocument[] = Object.entries(sitemaps).map(
  ([name, listPaths]) => ({
    path: pathOfSitemap(name),
    params: {},
    type: sitemapType,
    load: async (ctx) => {
      const paths = await listPaths(ctx);
      return written(
        'urlset',
        'url',
        paths.map((path) => ctx.rules.baseUrl + path),
      );
    },
  }),
);

function pathOfSitemap(name: string): string {
  return `/sitemap-${name}.xml`;
}

function written(list: string, item: string, places: readonly string[]): string {
  const lines = places.map((place) => `<${item}><loc>${xml(place)}</loc></${item}>`);
  return `<?xml version="1.0" encoding="utf-8"?>
<${list} xmlns="${namespace}">
${lines.join('\n')}
</${list}>
`;
}
