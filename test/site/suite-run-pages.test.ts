/** The pages of suite runs, as a browser without JavaScript shows them: what failed comes first, and filters are links. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import { updateSuite } from '#domain/suites/change-suite.ts';
import { handOutCases } from '#domain/runs/pull/hand-out-cases.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { openBrowser } from '#test/harness/browser.ts';
import { actingAs } from '#test/harness/ctx.ts';
import { answerPulled } from '#test/harness/eval-runs.ts';
import { startTestHub, type TestHub } from '#test/harness/hub.ts';
import { openScratchStore, type ScratchStore } from '#test/harness/stores.ts';
import { orderSuiteRun, publishTestSuite } from '#test/harness/suites.ts';
import { signInByForm } from './tour/sign-in.ts';

let store: ScratchStore;
let hub: TestHub;
let ada: TestAgent;
let bob: TestAgent;
let browser: Browser;

beforeAll(async () => {
  store = await openScratchStore('sqlite');
  hub = await startTestHub({ store, ownBaseUrl: true });
  ada = await createTestAgent(hub.ctx, { handle: 'ada', tokens: 500 });
  bob = await createTestAgent(hub.ctx, { handle: 'bob', tokens: 500 });
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
  await hub.close();
  await store.remove();
});

const tagOf = (n: number) => (n % 2 === 0 ? 'even' : 'odd');
const documentOf = (name: string, cases: number) => ({
  suite: 1,
  name,
  cases: Array.from({ length: cases }, (_, n) => ({
    id: `case-${n}`,
    prompt: `Say word ${n} of the list.`,
    tags: [tagOf(n)],
    expect: [{ equals: `word-${n}` }, { length: 'words', max: 1 }],
  })),
});

/** Runs a suite of `ada`; `reply` gives the text for a case and trial. */
async function runSuite(
  agent: TestAgent,
  name: string,
  trials: number,
  reply: (n: number, trial: number) => string,
): Promise<string> {
  const as = actingAs(hub.ctx, agent);
  const { id: runId } = await orderSuiteRun(as, `@ada/${name}`, { trials });
  for (;;) {
    const { cases, ended } = await handOutCases(as, { runId, limit: 40 });
    if (ended || cases.length === 0) return runId;
    const answers = cases.map(({ caseId }) => {
      const [, n = '', trial = '1'] = /^case-(\d+)(?:\/(\d+))?$/.exec(caseId) ?? [];
      return { caseId, text: reply(Number(n), Number(trial)) };
    });
    await answerPulled(as, runId, answers);
  }
}

async function openAs(agent: TestAgent, path: string): Promise<Page> {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const [name = '', value = ''] = (await signInByForm(hub, agent)).split('=');
  await context.addCookies([{ name, value, url: hub.url }]);
  const page = await context.newPage();
  await page.goto(hub.url + path);
  return page;
}

const rowsOf = (page: Page) =>
  page
    .locator('ul.rows > li')
    .evaluateAll((rows) =>
      rows.map((row) => [row.className, row.querySelector('summary')?.textContent ?? '']),
    );

test('a run shows what did not pass first, and its filters by verdict and tag are links', async () => {
  await publishTestSuite(actingAs(hub.ctx, ada), documentOf('words', 6));
  // Cases 0 to 2 pass, 3 is flaky, 4 fails, and 5 passes.
  const run = await runSuite(ada, 'words', 2, (n, trial) =>
    n === 4 || (n === 3 && trial === 2) ? 'something <b>else</b>' : `word-${n}`,
  );
  const page = await openAs(ada, `/me/runs/${run}`);
  expect(await page.locator('.numeral').textContent()).toBe('75.0');
  const rows = await rowsOf(page);
  expect(rows.map(([verdict]) => verdict)).toEqual([
    'failed',
    'flaky',
    'passed',
    'passed',
    'passed',
    'passed',
  ]);
  expect(rows[0]?.[1]).toContain('case-4');
  expect(rows[1]?.[1]).toContain('1 of 2 trials passed');
  await page.getByRole('navigation', { name: 'Verdict' }).getByRole('link', { name: 'passed' }).click();
  await page.getByRole('navigation', { name: 'Tag' }).getByRole('link', { name: 'odd' }).click();
  expect((await rowsOf(page)).map(([, summary]) => /case-\d/.exec(summary)?.[0])).toEqual([
    'case-1',
    'case-5',
  ]);
  await page.goto(`${hub.url}/me/runs/${run}`);
  await page.locator('summary', { hasText: 'case-3' }).click();
  await page.getByRole('link', { name: 'All 2 trials of case-3' }).click();
  const shown = await page.locator('ul.rows').innerText();
  expect(shown).toContain('Say word 3 of the list.');
  expect(shown).toMatch(
    /Trial 1: passed[^]*Trial 2: failed[^]*Expected\s+\S*word-3[^]*Found[^]*something <b>else<\/b>/,
  );
});

test('the comparison shows the broken cases first and leads to them', async () => {
  await publishTestSuite(actingAs(hub.ctx, ada), documentOf('compared', 4));
  const before = await runSuite(ada, 'compared', 1, (n) => (n > 1 ? 'no' : `word-${n}`));
  hub.clock.advance(1_000);
  const after = await runSuite(ada, 'compared', 1, (n) => (n === 1 || n === 2 ? `word-${n}` : 'no'));
  const page = await openAs(ada, `/me/runs/${after}`);
  await page.getByRole('link', { name: 'Compare with the run of' }).click();
  expect(new URL(page.url()).pathname).toBe(`/me/runs/${before}/compare/${after}`);
  const sections = await page
    .locator('section:has(h2)')
    .evaluateAll((parts) => parts.map((part) => (part as HTMLElement).innerText.replaceAll(/\s+/g, ' ')));
  expect(sections.map((text) => text.replace(/^(\D+ \d).*?(?=case|$)/, '$1 '))).toEqual([
    expect.stringContaining('Broken 1 case-0'),
    expect.stringContaining('Flaky now 0'),
    expect.stringContaining('Still failing 1 case-3'),
    expect.stringContaining('Fixed 1 case-2'),
    expect.stringContaining('The runs'),
  ]);
  expect(await page.getByText('No clear change').isVisible()).toBe(true);
  await page.getByRole('link', { name: 'after' }).first().click();
  expect(await page.locator('ul.rows').innerText()).toContain('Say word 0 of the list.');
});

test('a run with many long replies is shown in pages of bounded size', async () => {
  await publishTestSuite(actingAs(hub.ctx, ada), documentOf('large', 300));
  const run = await runSuite(ada, 'large', 2, () => 'x'.repeat(5_000));
  const page = await openAs(ada, `/me/runs/${run}`);
  const html = await page.content();
  expect(html.length).toBeLessThan(100_000);
  expect(await rowsOf(page)).toHaveLength(20);
  await page.getByRole('link', { name: 'Next page' }).click();
  expect((await rowsOf(page))[0]?.[1]).toContain('case-20');
});

test('the runner of a hidden suite reads verdicts and its own replies on the pages, and nothing else', async () => {
  const secret = 'the-secret-answer';
  await publishTestSuite(actingAs(hub.ctx, ada), {
    suite: 1,
    name: 'secret',
    cases: [{ id: 'case-0', prompt: 'A secret prompt.', tags: ['odd'], expect: [{ equals: secret }] }],
  });
  await updateSuite(actingAs(hub.ctx, ada), { owner: 'ada', name: 'secret', visibility: 'hidden' });
  const before = await runSuite(bob, 'secret', 1, () => secret.toUpperCase());
  hub.clock.advance(1_000);
  const run = await runSuite(bob, 'secret', 1, () => 'own words');
  for (const path of [run, `${run}?case=case-0`, `${before}/compare/${run}`]) {
    const page = await openAs(bob, `/me/runs/${path}`);
    const html = await page.content();
    expect([path, html.includes('A secret prompt'), html.includes(secret)]).toEqual([path, false, false]);
  }
  const page = await openAs(bob, `/me/runs/${run}?case=case-0`);
  expect(await page.locator('ul.rows').innerText()).toContain('own words');
  const foreign = await openAs(ada, `/me/runs/${run}`);
  expect(await foreign.title()).toContain('Not found');
});
