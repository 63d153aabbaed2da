/**
 * Opens every page of the site in every state, without a browser, and checks its status, its database statements, its
 * size, and what search engines and browsers read in its head. A new page is included as soon as it is declared.
 */
import { faultOf, plansOf } from '#test/harness/query-plans.ts';
import { statementsOnSqlite } from '#test/harness/count-statements.ts';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Dialect } from '#db/dialect.ts';
import * as documents from '#site/documents/feeds.ts';
import { siteFiles } from '#site/site-files.ts';
import { declaredPages, findStops, openAs, type Stop } from './tour/find-stops.ts';
import { type Filling, fillings, openTourHub, type TourHub } from './tour/fill-tour-hub.ts';

/** Creating the rows takes a while on a busy machine. */
const fillMaxMs = 180_000;
const statementsMax = 13;
const firstViewMaxBytes = 72_000;
const scriptMaxBytes = 20_000;

// The store matters to queries, which a hub with many of everything sends.
describe.each([
  ['sqlite', fillings],
  ['postgres', ['many']],
] satisfies (readonly [Dialect, readonly Filling[]])[])('on %s', (dialect, walked) => {
  const tours: TourHub[] = [];
  const stops: (readonly [TourHub, Stop])[] = [];
  beforeAll(async () => {
    for (const filling of walked) {
      const tour = await openTourHub(filling, dialect);
      tours.push(tour);
      for (const stop of await findStops(tour)) stops.push([tour, stop]);
    }
  }, fillMaxMs);
  afterAll(async () => {
    for (const tour of tours) await tour.close();
  });

  test.if(dialect === 'sqlite')('the walk reaches every page', () => {
    const reached = new Set(stops.map(([, { declared }]) => declared));
    const left = declaredPages.filter(({ path }) => !reached.has(path)).map(({ path }) => path);
    expect(left).toEqual([]);
  });

  test('every page has the right status, few statements, few bytes and a complete head', async () => {
    const faults: string[] = [];
    let most = 0;
    for (const [tour, stop] of stops) {
      const { response, html, statements } = await openCounted(tour, stop);
      most = Math.max(most, statements);
      const found = [
        ...(response.status === stop.status ? [] : [`status ${response.status}`]),
        ...(statements <= statementsMax ? [] : [`${statements} statements`]),
        ...faultsOf(html, stop),
      ];
      faults.push(...found.map((fault) => `${stop.state} ${stop.path}: ${fault}`));
    }
    expect(faults).toEqual([]);
    // Shows that statements were counted.
    if (dialect === 'sqlite') expect(most).toBeGreaterThan(3);
  });

  test('no page reads or sorts all rows of a table that grows', async () => {
    const faults = new Set<string>();
    let read = 0;
    const tour = tours[walked.indexOf('many')]!;
    for (const [of, { path, role }] of stops) {
      if (of !== tour) continue;
      // Such an address is in no cache.
      const fresh = `${path}${path.includes('?') ? '&' : '?'}fresh=1`;
      const open = async () => (await openAs(tour, { path: fresh, role })).text();
      // Some pages read nothing.
      const plans = await plansOf(tour.store, open).catch(() => []);
      read += plans.length;
      for (const plan of plans)
        if (faultOf(plan) !== null && !isBounded(plan)) faults.add(`${path}: ${plan}`);
    }
    expect([...faults]).toEqual([]);
    expect(read).toBeGreaterThan(100);
  });

  test('every feed needs few statements', async () => {
    for (const { path } of Object.values(documents).filter((one) => !one.path.includes(':'))) {
      const { response, statements } = await openCounted(tours.at(-1)!, { path, role: 'stranger' });
      expect([path, response.status, statements <= statementsMax]).toEqual([path, 200, true]);
    }
  });
});

test('all scripts together are small', () => {
  expect(Bun.gzipSync(siteFiles.script.content).length).toBeLessThan(scriptMaxBytes);
});

/** Lists in a parameter, counts that end, and what one agent, suite or day has of something. */
const bounded =
  /json_each|pragma_|CO-ROUTINE (waiting|open|first)|agent_credentials|reputation_events|suite_agents|suite_tags|waitlist|runs_with_items/;

/** Of all its scans and sorts. */
function isBounded(plan: string): boolean {
  return bounded.test(plan) && !/SCAN (?!json_each|pragma_|waiting|open|first)(?!.*USING)/.test(plan);
}

/** Counts again if there are many, because statements in the background, such as when a token was last used, count too. */
async function openCounted(tour: TourHub, stop: Pick<Stop, 'path' | 'role'>) {
  const first = await openOnce(tour, stop);
  if (first.statements <= statementsMax) return first;
  const { statements } = await openOnce(tour, stop);
  return { ...first, statements: Math.min(first.statements, statements) };
}

async function openOnce(tour: TourHub, stop: Pick<Stop, 'path' | 'role'>) {
  const before = statementsOnSqlite();
  const response = await openAs(tour, stop);
  const html = await response.text();
  return { response, html, statements: statementsOnSqlite() - before };
}

/** Compressed, as browsers get it. */
function sizeOf(content: string | Uint8Array<ArrayBuffer>): number {
  return Bun.gzipSync(content).length;
}

function faultsOf(html: string, { status, role }: Stop): string[] {
  const [head = '', body = ''] = html.split('</head>');
  const files = Object.values(siteFiles).filter(({ path }) => html.includes(`"${path}"`));
  const bytes = files.reduce((sum, { content }) => sum + sizeOf(content), sizeOf(html));
  const isIndexed = status === 200 && role === 'stranger' && !head.includes('noindex');
  const wanted: readonly (readonly [string, boolean])[] = [
    [`${bytes} bytes`, bytes <= firstViewMaxBytes],
    ['no language', html.includes('<html lang="en"')],
    ['no title', /<title>[^<]+<\/title>/.test(head)],
    ['no viewport', head.includes('name="viewport" content="width=device-width, initial-scale=1"')],
    ['no description', !isIndexed || /name="description" content="[^"]+"/.test(head)],
    ['no canonical URL', !isIndexed || head.includes('rel="canonical"')],
    ['no main heading', (body.match(/<h1[ >]/g) ?? []).length === 1],
    ['more than one style sheet', (html.match(/rel="stylesheet"/g) ?? []).length === 1],
    ['a script that delays the page', !/<script(?! type="(module|application\/ld\+json)")/.test(html)],
    ['inline styles', !/<style| style="/.test(html)],
    ['an image without its size', !/<img(?![^>]* width=)/.test(html)],
  ];
  return wanted.filter(([, holds]) => !holds).map(([fault]) => fault);
}
