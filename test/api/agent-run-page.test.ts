/** The scorecard of an agent run in a real browser: its timeline, its filter, and that it is inert. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { makeAgentCall, takeNextTask } from '#domain/runs/products/agent-run/pull-tasks.ts';
import { eq } from 'drizzle-orm';
import { callOf, giveUp, planFor, readAgentRun, startAgentRun } from '#test/harness/agent-runs.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { openBrowser } from '#test/harness/browser.ts';
import { actingAs } from '#test/harness/ctx.ts';
import { startTestHub, type TestHub } from '#test/harness/hub.ts';
import { openScratchStore, type ScratchStore } from '#test/harness/stores.ts';
import { lightnessOf, type Visit, visitPage } from '#test/harness/visit-page.ts';

/** Markup that would have a visible effect if the page rendered it. */
const hostile = '</pre></details><script>document.title = "owned"</script><h1>Agent run: 100.0</h1>\u202e';

let store: ScratchStore;
let hub: TestHub;
let agent: TestAgent;
let browser: Browser;
let runId: string;
/** The task in which an attack works. */
const hijackedTask = 3;

beforeAll(async () => {
  store = await openScratchStore('sqlite');
  hub = await startTestHub({ store });
  agent = await createTestAgent(hub.ctx);
  const as = actingAs(hub.ctx, agent);
  const run = await startAgentRun(as);
  runId = run.id;
  for (;;) {
    const { task } = await takeNextTask(as, { runId });
    if (task === null) break;
    const { n } = task;
    const plan = n % 4 === 0 ? await planFor(hub.ctx, run, n) : [giveUp];
    const calls =
      n === hijackedTask
        ? [{ tool: 'mail_read', args: { mail_ids: [hostile], [hostile]: 1 } }, giveUp]
        : plan;
    for (const [index, { tool, args }] of calls.entries()) {
      hub.clock.advance(250);
      await makeAgentCall(as, callOf(run, n, `${index}`, { tool, args }));
    }
  }
  await noteHijacking();
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
  await hub.close();
  await store.remove();
});

/** As if the agent had done in one task what an attacker wanted. */
async function noteHijacking(): Promise<void> {
  const { run } = await readAgentRun(hub.ctx, runId);
  const { runs } = hub.db.tables;
  const attack = { name: 'lookalike amendment', worked: true };
  const verdicts = run.verdicts!.map((verdict) =>
    verdict.n === hijackedTask ? { ...verdict, attack } : verdict,
  );
  await hub.db.transaction((tx) => tx.query.update(runs).set({ verdicts }).where(eq(runs.id, runId)));
}

function visit(look: (visit: Visit) => Promise<void>, options: BrowserContextOptions = {}) {
  const url = `${hub.url}/v1/agent-runs/${runId}/scorecard`;
  const extraHTTPHeaders = { authorization: `Bearer ${agent.bearerToken}` };
  return visitPage(browser, url, look, { extraHTTPHeaders, ...options });
}

test('shows the figures, a cell for each task, and a timeline of its calls', async () => {
  await visit(async ({ page, requests }) => {
    expect(await page.locator('.tiles > div').count()).toBe(5);
    expect(await page.locator('.cells .chip').count()).toBe(12);
    await page.locator('.cells .chip.warn').first().click();
    const task = page.locator('details[open]');
    await task.waitFor();
    expect(await task.locator('summary').first().innerText()).toContain(`Task ${hijackedTask}`);
    const calls = await task.locator('.timeline > li').count();
    expect(await task.locator('.strip .call').count()).toBe(calls);
    expect(await task.locator('.timeline > li.wrong').count()).toBe(1);
    const strip = (await task.locator('.strip').boundingBox())!;
    const marks = await Promise.all(
      (await task.locator('.strip .call').all()).map(async (mark) => (await mark.boundingBox())!.x),
    );
    expect(marks).toEqual(marks.toSorted((one, other) => one - other));
    expect(marks.at(-1)).toBeGreaterThan(strip.x + strip.width * 0.98);
    expect(requests).toEqual([page.url().split('#')[0]!]);
  });
});

test('shows for each failed task what was expected and what was done', async () => {
  await visit(async ({ page }) => {
    await page.locator('.hijacked > details > summary').click();
    expect(await page.locator('.hijacked .faults').first().innerText()).toContain('Not as required');
    for (const fault of await page.locator('.failed .faults > div').all()) {
      expect(await fault.locator('dt, dd').allTextContents()).toEqual([
        'Not as required',
        expect.stringMatching(/^Expected \w/),
        expect.stringMatching(/^Done \w/),
      ]);
    }
  });
});

test('shows hostile arguments literally, and filters without a script', async () => {
  await visit(async ({ page }) => {
    await page.locator('.hijacked > details > summary').click();
    const shown = await page.locator('details[open] .timeline code').first().innerText();
    expect(shown).toBe(
      JSON.stringify({ mail_ids: [hostile], [hostile]: 1 }).replaceAll('\u202e', '[U+202E]'),
    );
    expect(await page.title()).toStartWith('Agent run');
    expect(await page.locator('h1').allInnerTexts()).toEqual(['Agent run scorecard']);
    expect(await page.locator('script, img, link, base, form, iframe').count()).toBe(0);
  });
  await visit(async ({ page }) => {
    await page.getByLabel('not passed').check();
    expect(await page.locator('.rows > .passed:visible').count()).toBe(0);
    expect(await page.locator('.rows > li > details:visible').count()).toBe(9);
  });
});

test('is dark where the reader prefers it, prints light with every task open, and fits a phone', async () => {
  await visit(
    async ({ page }) => {
      expect(await lightnessOf(page)).toBeLessThan(50);
      const wide = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
      expect(await page.evaluate<number>(wide)).toBe(0);
      await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
      expect(await lightnessOf(page)).toBe(255);
      expect(await page.locator('.shown').isVisible()).toBe(false);
      // The results of the calls would fill dozens of pages.
      expect(await page.locator('.timeline details:visible').count()).toBe(0);
      expect((await page.locator('details .timeline').last().boundingBox())!.height).toBeGreaterThan(10);
    },
    { colorScheme: 'dark', viewport: { width: 360, height: 740 } },
  );
});
