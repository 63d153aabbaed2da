/** The pages of suite runs, as a browser without JavaScript shows them: what failed comes first, and filters are links. */
import { expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { updateSuite } from '#domain/suites/change-suite.ts';
import { recordJudgements } from '#domain/runs/judging/record-judgements.ts';
import { cancelRun } from '#domain/runs/cancel-run.ts';
import { handOutCases } from '#domain/runs/pull/hand-out-cases.ts';
import { type TestAgent } from '#test/harness/agents.ts';
import { useBrowser } from '#test/harness/browser.ts';
import { actingAs } from '#test/harness/ctx.ts';
import { answerPulled } from '#test/harness/eval-runs.ts';
import { useTestAgent, useTestHub } from '#test/harness/hub.ts';
import { orderSuiteRun, playSuiteRun, publishTestSuite } from '#test/harness/suites.ts';
import { sessionOf } from './tour/sign-in.ts';

const hub = useTestHub({ ownBaseUrl: true });
const browser = useBrowser();
const ada = useTestAgent(hub, { handle: 'ada', tokens: 500 });
const bob = useTestAgent(hub, { handle: 'bob', tokens: 500 });

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

const publish = (name: string, cases: number, agent: TestAgent = ada) =>
  publishTestSuite(actingAs(hub.ctx, agent), documentOf(name, cases));

const show = (name: string, visibility: 'open' | 'hidden' = 'open') =>
  updateSuite(actingAs(hub.ctx, ada), { owner: 'ada', name, visibility });

/** Runs a suite of `ada`; `reply` gives the text for a case and trial. */
function runSuite(
  agent: TestAgent,
  name: string,
  trials: number,
  reply: (n: number, trial: number) => string,
  label?: string,
): Promise<string> {
  const textFor = (caseId: string) => {
    const [, n = '', trial = '1'] = /^case-(\d+)(?:\/(\d+))?$/.exec(caseId) ?? [];
    return { text: reply(Number(n), Number(trial)) };
  };
  const order = { trials, ...(label === undefined ? {} : { label }) };
  return playSuiteRun(actingAs(hub.ctx, agent), `@ada/${name}`, textFor, order);
}

async function openAs(agent: TestAgent, path: string, javaScriptEnabled = false): Promise<Page> {
  const page = await browser.newPage({ javaScriptEnabled, ...(await sessionOf(hub, agent)) });
  await page.goto(hub.url + path);
  return page;
}

/** What a page shows to ada, in one line. */
const mainOf = async (path: string): Promise<string> =>
  (await (await openAs(ada, path)).locator('main').innerText()).replaceAll(/\s+/g, ' ');

async function rowsOf(page: Page) {
  const rows = await page
    .locator('ul.rows > li')
    .evaluateAll((all) => all.map((row) => [row.className, row.querySelector('summary')?.textContent ?? '']));
  return rows.map(([verdict = '', summary = '']) => ({
    verdict,
    summary,
    id: /case-\d+/.exec(summary)?.[0],
  }));
}

const idsOf = async (page: Page) => (await rowsOf(page)).map(({ id }) => id);

/** Shares a run with its prompts. @returns what strangers read */
async function share({ bearerToken: token }: TestAgent, run: string): Promise<() => Promise<string>> {
  const { body } = await hub.fetch(`/v1/runs/${run}/share`, { token, json: { prompts: true } });
  return async () => (await fetch(body.share.url)).text();
}

test('a run shows what did not pass first, and its filters by verdict and tag are links', async () => {
  await publish('words', 6);
  // Cases 0 to 2 pass, 3 is flaky, 4 fails, and 5 passes.
  const run = await runSuite(ada, 'words', 2, (n, trial) =>
    n === 4 || (n === 3 && trial === 2) ? 'something <b>else</b>' : `word-${n}`,
  );
  const page = await openAs(ada, `/me/runs/${run}`);
  expect(await page.locator('.numeral').textContent()).toBe('75.0');
  const rows = await rowsOf(page);
  const passed = ['passed', 'passed', 'passed', 'passed'];
  expect(rows.map(({ verdict }) => verdict)).toEqual(['failed', 'flaky', ...passed]);
  expect(rows[0]?.id).toBe('case-4');
  expect(rows[1]?.summary).toContain('1 of 2 trials passed');
  await page.getByRole('navigation', { name: 'Verdict' }).getByRole('link', { name: 'passed' }).click();
  await page.getByRole('navigation', { name: 'Tag' }).getByRole('link', { name: 'odd' }).click();
  expect(await idsOf(page)).toEqual(['case-1', 'case-5']);
  await page.goto(`${hub.url}/me/runs/${run}`);
  await page.locator('summary', { hasText: 'case-3' }).click();
  await page.getByRole('link', { name: 'All 2 trials of case-3' }).click();
  const shown = await page.locator('ul.rows').innerText();
  expect(shown).toContain('Say word 3 of the list.');
  expect(shown).toMatch(
    /Trial 1: passed[^]*Trial 2: failed[^]*Expected\s+\S*word-3[^]*Found[^]*something <b>else<\/b>/,
  );
});

test('an open page of a run warns before it is cancelled once it costs, and forgets that it was queued', async () => {
  const as = actingAs(hub.ctx, ada);
  await publish('live', 2);
  const { id: runId } = await orderSuiteRun(as, '@ada/live');
  const page = await openAs(ada, `/me/runs/${runId}?done=start`, true);
  expect(await page.locator('[role=status]').innerText()).toBe('The run is queued.');
  expect(await page.locator('#cancel summary').count()).toBe(0);
  const { cases } = await handOutCases(as, { runId, limit: 2 });
  await page.locator('#cancel summary').waitFor();
  expect(await page.getByRole('button', { name: 'Cancel the run' }).count()).toBe(0);
  await page.locator('#cancel summary').click();
  // The second one is asked for after the first has been shown.
  for (let refreshes = 0; refreshes < 2; refreshes += 1) await page.waitForResponse(page.url());
  expect(await page.getByRole('button', { name: 'End it now' }).isVisible()).toBe(true);
  const answers = cases.map(({ caseId }) => ({ caseId, text: 'x' }));
  await answerPulled(as, runId, answers);
  await page.locator('.numeral').waitFor();
  expect(await page.locator('[role=status]').count()).toBe(0);
});

test('the comparison shows the broken cases first and leads to them', async () => {
  await publish('compared', 4);
  const before = await runSuite(ada, 'compared', 1, (n) => (n > 1 ? 'no' : `word-${n}`));
  hub.clock.advance(1_000);
  const after = await runSuite(ada, 'compared', 1, (n) => (n === 1 || n === 2 ? `word-${n}` : 'no'));
  const page = await openAs(ada, `/me/runs/${after}`);
  await page.getByRole('link', { name: 'Compare with the run of' }).click();
  expect(new URL(page.url()).search).toBe(`?before=${before}&after=${after}`);
  const rows = async () =>
    (await page.locator('ul.rows > li').allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '));
  expect(await rows()).toEqual([
    'broken case-0 Say word 0 of the list. Expected "word-0" Before ✓ passed word-0 After ✗ failed no',
    expect.stringContaining('still failing case-3'),
    expect.stringContaining('fixed case-2'),
  ]);
  expect(await page.getByText('No clear change').isVisible()).toBe(true);
  await page.getByRole('navigation', { name: 'Change' }).getByRole('link', { name: 'fixed' }).click();
  expect(await rows()).toEqual([expect.stringContaining('fixed case-2')]);
  await page.getByRole('link', { name: 'all 3' }).click();
  await page.getByRole('searchbox').fill('WORD 3');
  await page.getByRole('button', { name: 'Search' }).click();
  expect(await rows()).toEqual([expect.stringContaining('still failing case-3')]);
  await page.getByRole('link', { name: 'After' }).first().click();
  expect(await page.locator('ul.rows').innerText()).toContain('Say word 3 of the list.');
});

test('two runs of one suite are chosen in advance, and what cannot be compared is refused on the page', async () => {
  const as = actingAs(hub.ctx, bob);
  const runs: string[] = [];
  for (const name of ['chosen', 'chosen', 'other']) {
    await publish(name, 1, bob);
    hub.clock.advance(1_000);
    runs.push(await playSuiteRun(as, `@bob/${name}`, 'x', { label: 'main' }));
  }
  const page = await openAs(bob, '/me/compare');
  const chosen = () => Promise.all(['#before', '#after'].map((id) => page.locator(id).inputValue()));
  expect(await chosen()).toEqual(runs.slice(0, 2));
  await page.locator('#after').selectOption(runs[2] ?? '');
  await page.getByRole('button', { name: 'Compare' }).click();
  expect(await page.locator('.notice.bad').innerText()).toContain('Only runs of the same version');
  expect(await chosen()).toEqual([runs[0] ?? '', runs[2] ?? '']);
  await page.goto(`${hub.url}/suites/@bob/other/matrix?q=main,next`);
  expect(await page.locator('.notice.bad').innerText()).toContain('with the label next');
  expect(await page.locator('#q').inputValue()).toBe('main,next');
  await page.goto(`${hub.url}/suites/@bob/other/matrix?q=main`);
  expect(await page.locator('.notice.bad').innerText()).toBe('labels must be 2 to 8 different labels.');
});

test('the page of a suite leads to its leaderboard', async () => {
  await publish('led', 1);
  await show('led');
  const path = '/leaderboard?suite=%40ada%2Fled&version=1';
  expect(await (await fetch(hub.url + path)).text()).toContain('No agent has a ranked run yet.');
  for (const agent of [ada, bob])
    await playSuiteRun(actingAs(hub.ctx, agent), '@ada/led', 'x', { ranked: true });
  const page = await openAs(bob, '/suites/@ada/led');
  await page.getByRole('main').getByRole('link', { name: 'leaderboard' }).click();
  expect(await page.locator('h1 + p').innerText()).toStartWith('@ada/led, version 1:');
  const rows = await page.locator('ol.board > li').allInnerTexts();
  expect(rows).toHaveLength(2);
  expect(rows.filter((row) => row.includes('published this suite'))).toHaveLength(1);
});

test('scores are subtracted only if both runs asked the same cases, and those of some cases say of how many', async () => {
  const as = actingAs(hub.ctx, ada);
  await publish('partly', 4);
  const whole = await runSuite(ada, 'partly', 1, (n) => (n > 1 ? 'no' : `word-${n}`), 'main');
  const better = await runSuite(ada, 'partly', 1, (n) => (n > 2 ? 'no' : `word-${n}`));
  const some = await playSuiteRun(as, '@ada/partly', 'word-2', { only: 'case-2,case-3', label: 'next' });
  expect(await mainOf(`/me/compare?before=${whole}&after=${better}`)).toContain('+25.0 points of 100');
  const page = await mainOf(`/me/compare?before=${whole}&after=${some}`);
  expect(page).toContain('0 cases broken, 1 fixed; compared 2 of 2 cases');
  expect(page).toContain('50.0 (2 of 4 cases), version 1');
  expect(page).not.toContain('points of 100');
  expect(await mainOf('/suites/@ada/partly/matrix?q=main,next')).toMatch(
    /main 50\.0 .*next 50\.0 \(2 of 4 cases\)/,
  );
  expect(await mainOf(`/me/runs/${some}`)).toMatch(/Compare with the run of .*, which scored 75\.0\./);
  expect(await mainOf('/me/runs?suite=@ada/partly')).toContain('· 2 of 4 cases ·');
});

test('a tag that nobody answered is not one that failed, and the replies of a case are not cases', async () => {
  const as = actingAs(hub.ctx, ada);
  await publish('tagged', 4);
  const { id: runId } = await orderSuiteRun(as, '@ada/tagged', { trials: 2 });
  await handOutCases(as, { runId, limit: 8 });
  await answerPulled(as, runId, [{ caseId: 'case-0/1', text: 'word-0' }]);
  expect(await mainOf(`/me/runs/${runId}`)).toContain('1 of 8 replies done');
  await cancelRun(as, { runId });
  expect(await mainOf(`/me/runs/${runId}`)).toContain('even 1 of 2 answered 25% odd of 2 not asked');
});

test('any two runs of a suite are compared, with the words marked that only one of them said', async () => {
  await publish('chosen', 1);
  const runs: string[] = [];
  for (const text of ['I say word-0 to you', 'unsaid', 'I say word-1 to you']) {
    hub.clock.advance(60_000);
    runs.push(await runSuite(ada, 'chosen', 1, () => text));
  }
  const oldest = runs[0] ?? '';
  const page = await openAs(ada, '/me/compare');
  const chosen = page.getByLabel('Before').locator('option', { hasText: ': ' });
  expect(await chosen.count()).toBeGreaterThan(2);
  await page.getByLabel('Before').selectOption(oldest);
  await page.getByRole('button', { name: 'Compare' }).click();
  expect(await page.locator('del').allInnerTexts()).toEqual(['word-0 ']);
  expect(await page.locator('ins').allInnerTexts()).toEqual(['word-1 ']);
  expect(await page.getByLabel('Before').inputValue()).toBe(oldest);
  expect(await page.getByLabel('Before').locator('option').count()).toBe(3);
});

test('the page of a suite shows its reader a line of scores for each label, and own suites are listed first', async () => {
  await publish('plotted', 2);
  await show('plotted');
  for (const [passing, label] of [
    [1, 'main'],
    [0, 'new'],
    [2, 'main'],
  ] as const) {
    hub.clock.advance(60_000);
    await runSuite(ada, 'plotted', 1, (n) => (n < passing ? `word-${n}` : 'no'), label);
  }
  const page = await openAs(ada, '/suites/@ada/plotted');
  const chart = page.getByRole('img', { name: 'Scores of 3 runs, the last 100.0' });
  // Only the runs of one label are joined.
  expect(await chart.locator('line.line').count()).toBe(1);
  expect(await chart.locator('circle title').allTextContents()).toEqual([
    expect.stringContaining('main: 50.0 on '),
    expect.stringContaining('new: 0.0 on '),
    expect.stringContaining('main: 100.0 on '),
  ]);
  expect(await page.locator('.legend').innerText()).toMatch(/main\s+new/);
  await page.locator('ul.rows > li').first().getByRole('link').click();
  expect(await page.title()).toMatch(/^@ada\/plotted: main, \d+ \w+ \d+, \d\d:\d\d/);
  for (const path of ['/suites', '/me']) {
    const listed = page.locator('section', { has: page.getByRole('link', { name: /^(Your s|S)uites/ }) });
    await page.goto(hub.url + path);
    expect([path, await listed.locator('.rows .title').first().innerText()]).toEqual([path, 'plotted']);
  }
  const other = await openAs(bob, '/suites/@ada/plotted');
  expect(await other.getByText('Your runs').count()).toBe(0);
});

test('the chart of costs places runs by their tokens, not by rounded points for 1,000 of them', async () => {
  const as = actingAs(hub.ctx, ada);
  await publish('costly', 2);
  for (const tokens of [28_500_000, 85_000_000]) {
    hub.clock.advance(60_000);
    const usage = { input_tokens: tokens, output_tokens: 0 };
    await playSuiteRun(as, '@ada/costly', (id) => ({ text: id === 'case-0' ? 'word-0' : 'no', usage }));
  }
  const page = await openAs(ada, '/me/runs?suite=@ada/costly');
  const chart = page.getByRole('img', { name: 'Score against cost: 2 points' });
  expect(await chart.locator('circle title').allTextContents()).toEqual([
    expect.stringContaining('50.0 for 170000.0 thousand tokens a run'),
    expect.stringContaining('50.0 for 57000.0 thousand tokens a run'),
  ]);
});

test('a row says what was asked, expected and found, and a search finds cases by their words', async () => {
  await publish('searched', 30);
  const run = await runSuite(ada, 'searched', 1, (n) => (n === 7 ? 'nothing' : `word-${n}`));
  const page = await openAs(ada, `/me/runs/${run}`);
  const first = page.locator('ul.rows summary').first();
  expect((await first.innerText()).replaceAll(/\s+/g, ' ')).toMatch(
    /^✗ failed case-7 odd · \d+ ms Say word 7 of the list\. "word-7" → "nothing"$/,
  );
  await page.getByRole('searchbox').fill('word 29');
  await page.getByRole('button', { name: 'Search' }).click();
  expect(await idsOf(page)).toEqual(['case-29']);
  expect(await page.getByRole('navigation', { name: 'Verdict' }).innerText()).toMatch(/all 1\s+passed 1/);
});

test('all rows are opened at once, with a script or without', async () => {
  await publish('opened', 3);
  const run = await runSuite(ada, 'opened', 1, (n) => `word-${n}`);
  for (const script of [false, true]) {
    const page = await openAs(ada, `/me/runs/${run}`, script);
    const open = page.locator('ul.rows > li > details[open]');
    expect(await open.count()).toBe(0);
    await page.getByRole('link', { name: 'Expand all' }).click();
    await page.getByRole('link', { name: 'Collapse all' }).waitFor();
    expect(await open.count()).toBe(3);
    expect(page.url().includes('open=all')).toBe(!script);
    await page.getByRole('link', { name: 'Collapse all' }).click();
    await page.getByRole('link', { name: 'Expand all' }).waitFor();
    expect(await open.count()).toBe(0);
  }
});

test('a run with many long replies is shown in pages of bounded size', async () => {
  await publish('large', 300);
  const run = await runSuite(ada, 'large', 2, () => 'x'.repeat(5_000));
  const page = await openAs(ada, `/me/runs/${run}`);
  const html = await page.content();
  expect(html.length).toBeLessThan(100_000);
  expect(await rowsOf(page)).toHaveLength(20);
  await page.getByRole('link', { name: 'Next page' }).click();
  expect((await idsOf(page))[0]).toBe('case-20');
});

test('a shared run shows strangers prompts only as long as its agent may read the cases', async () => {
  await publish('closing', 1);
  await show('closing');
  const readShared = await share(bob, await runSuite(bob, 'closing', 1, () => 'own words'));
  expect(await readShared()).toContain('Say word 0');
  await show('closing', 'hidden');
  // They no longer get the cached page.
  expect(await readShared()).not.toContain('Say word 0');
});

test('a case shows its judges and votes, split ones first, and its owner overrules it beside the original', async () => {
  const as = actingAs(hub.ctx, ada);
  const judge = (id: string) => ({ id, prompt: 'Say hello.', expect: [{ judge: 'tone' }] });
  await publishTestSuite(as, {
    suite: 1,
    name: 'judged',
    judges: { tone: { rubric: 'Polite.', votes: 3 } },
    cases: [judge('case-0'), judge('case-1')],
  });
  const run = await runSuite(ada, 'judged', 1, () => 'hello');
  const waiting = await openAs(ada, `/me/runs/${run}`);
  expect(await waiting.locator('dl.tiles').first().innerText()).toMatch(
    /no reply or verdict\s+2\s+2 trials/i,
  );
  const [pass, fail] = ['It greets.\nVERDICT: PASS', 'It is <b>curt</b>.\nVERDICT: FAIL'];
  await recordJudgements(as, {
    runId: run,
    model: 'm-1',
    judgements: [
      { id: '0.0', replies: [fail, fail, fail] },
      { id: '1.0', replies: [fail, pass, fail] },
    ],
  });
  const readShared = await share(ada, run);
  expect(await readShared()).not.toContain('overruled');
  const page = await openAs(ada, `/me/runs/${run}`);
  expect(await idsOf(page)).toEqual(['case-1', 'case-0']);
  expect(await page.locator('summary', { hasText: 'case-1' }).innerText()).toContain('judged by the runner');
  await page.locator('summary', { hasText: 'case-1' }).click();
  await page.getByRole('link', { name: 'All of case-1' }).click();
  const shown = page.locator('ul.rows');
  expect(await shown.innerText()).toMatch(
    /Judged by the runner, @ada: tone, with m-1; 1 of 3 votes accept\s+rejects: It is <b>curt<\/b>\.\s+accepts: It greets\.\s+rejects:/,
  );
  await page.getByText('Overrule or confirm').click();
  await page.getByRole('button', { name: 'Save the verdict' }).click();
  // A form without a reason is shown again, for the same case.
  await page.locator('textarea').fill('x'.repeat(1_001));
  await page.getByRole('button', { name: 'Save the verdict' }).click();
  expect(await page.locator('.error').innerText()).toContain('reason');
  await page.locator('textarea').fill('It <i>is</i> a greeting.');
  await page.getByRole('button', { name: 'Save the verdict' }).click();
  expect(new URL(page.url()).searchParams.get('case')).toBe('case-1');
  expect(await shown.innerText()).toContain(
    'Was failed; overruled to passed by @ada: It <i>is</i> a greeting.',
  );
  expect(await page.getByText('The owner of the run overruled verdicts of 1 case (case-1)').isVisible()).toBe(
    true,
  );
  // Strangers no longer get the cached page.
  expect(await readShared()).toContain('Was failed; overruled to passed by @ada');
});
