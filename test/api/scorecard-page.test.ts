/**
 * The scorecard page in a real browser, as the hub serves it: its content, its folding, and that it is inert.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { openBrowser } from '#test/harness/browser.ts';
import { completeRun, createTestRunner, type TestRunner } from '#test/harness/eval-runs.ts';
import { startTestHub, type TestHub } from '#test/harness/hub.ts';
import { openScratchStore, type ScratchStore } from '#test/harness/stores.ts';
import { type Visit, visitPage } from '#test/harness/visit-page.ts';

/** Markup that would have a visible effect if the page rendered it. */
const hostile = [
  '<script>document.title = "owned"</script>',
  '<img src="http://127.0.0.1:9/pixel" onerror="document.title = \'owned\'">',
  '</pre></details><h1>Eval run: 100.0</h1>',
  '<style>body { display: none }</style><link rel="stylesheet" href="http://127.0.0.1:9/x.css">',
  '<meta http-equiv="refresh" content="0; url=http://127.0.0.1:9/away"><base href="http://127.0.0.1:9/">',
  '<form action="http://127.0.0.1:9/"><input name="x"></form><iframe src="http://127.0.0.1:9/"></iframe>',
  '<a href="javascript:alert(1)">click</a> &lt;b&gt; \u202edesrever',
].join('\n');

let store: ScratchStore;
let hub: TestHub;
let runner: TestRunner;
let agent: TestAgent;
let browser: Browser;
let jobId: string;

beforeAll(async () => {
  store = await openScratchStore('sqlite');
  hub = await startTestHub({ store });
  runner = createTestRunner(hub.ctx, hub.redisUrl);
  agent = await createTestAgent(hub.ctx, { tokens: 1 });
  let broken: number | null = null;
  jobId = await completeRun(runner, agent.id, ({ planned, best }) => {
    if (planned.category === 'text') return hostile;
    if (planned.index > 0) broken ??= planned.index;
    return planned.index === broken ? new Response('no', { status: 404 }) : best;
  });
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
  runner.close();
  await hub.close();
  await store.remove();
});

/** The elements that make the page scroll sideways. */
const tooWide = `(() => {
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth === clientWidth) return [];
  const isOutside = (element) => element.getBoundingClientRect().right > clientWidth;
  return ['the page', ...[...document.querySelectorAll('body *')].filter(isOutside).map((element) => element.outerHTML)];
})()`;

/** Writes the widest figures that a run can have into the table of levels. */
const widestFigures = `(() => {
  for (const rung of document.querySelectorAll('.ladder td.rung')) rung.innerHTML = '100<small> of 120</small>';
})()`;

/** Opens the scorecard in a new window, cuts the network once it has loaded, and closes it after `look`. */
function visit(look: (visit: Visit) => Promise<void>, options: BrowserContextOptions = {}) {
  const url = `${hub.url}/v1/eval-jobs/${jobId}/scorecard`;
  const cutOff = async (opened: Visit): Promise<void> => {
    await opened.page.context().setOffline(true);
    await look(opened);
  };
  const extraHTTPHeaders = { authorization: `Bearer ${agent.bearerToken}` };
  return visitPage(browser, url, cutOff, { extraHTTPHeaders, ...options });
}

const backgroundOf = (page: Page): Promise<string> =>
  page.evaluate<string>('getComputedStyle(document.body).backgroundColor');

describe('the scorecard page', () => {
  test('loads nothing else, violates no policy and logs no errors, with every case expanded', async () => {
    await visit(async ({ page, requests }) => {
      for (const summary of await page.locator('summary').all()) await summary.click();
      expect(await page.locator('details[open]').count()).toBe(40);
      expect(requests).toEqual([page.url()]);
    });
  });

  test('shows the score, the levels and the latency of each case with a reply', async () => {
    await visit(async ({ page }) => {
      expect(Number(await page.locator('.numeral').innerText())).toBeWithin(40, 100);
      expect(await page.locator('.ladder tbody tr').count()).toBe(9);
      expect(await page.locator('.ladder .rung').count()).toBe(9 * 8);
      const plot = await page.locator('.latency').boundingBox();
      const columns = await page.locator('.latency rect').all();
      expect(columns).toHaveLength(39);
      for (const column of columns) {
        const box = (await column.boundingBox())!;
        expect(box.width).toBeGreaterThan(5);
        expect(box.height).toBeGreaterThanOrEqual(2);
        expect(box.x).toBeGreaterThanOrEqual(plot!.x);
        expect(box.x + box.width).toBeLessThanOrEqual(plot!.x + plot!.width + 1);
      }
      expect(await page.locator('.latency text.warn').count()).toBe(1);
    });
  });

  test('folds each case with its prompt, reply and checks', async () => {
    await visit(async ({ page }) => {
      const details = page.locator('.passed > details').first();
      const prompt = details.locator('pre').last();
      expect(await prompt.isVisible()).toBe(false);
      await details.locator('summary').click();
      expect(await prompt.isVisible()).toBe(true);
      expect(await details.locator('li').first().innerText()).toStartWith('✓ ');
      await details.locator('summary').click();
      expect(await prompt.isVisible()).toBe(false);
    });
  });

  test('links each cell of the overview to its case and expands it', async () => {
    await visit(async ({ page, requests }) => {
      const cell = page.locator('.cells .chip.warn');
      expect(await cell.getAttribute('aria-label')).toMatch(/^[a-z]+-\d+: error, level \d$/);
      await cell.click();
      const opened = page.locator('details[open]');
      await opened.waitFor();
      expect(await opened.count()).toBe(1);
      expect(await opened.innerText()).toContain('target bad status (status 404: no)');
      expect(requests).toHaveLength(1);
    });
  });

  test('filters by what did not pass, without a script', async () => {
    await visit(async ({ page }) => {
      expect(await page.locator('details:visible').count()).toBe(40);
      const label = page.locator('label', { hasText: 'not passed' });
      const [count] = /\d+/.exec(await label.innerText()) ?? [];
      await label.click();
      expect(Number(count)).toBeWithin(1, 40);
      expect(await page.locator('details:visible').count()).toBe(Number(count));
    });
  });

  test('shows a hostile reply literally', async () => {
    await visit(async ({ page, requests }) => {
      const details = page.locator('.failed > details').first();
      await details.locator('summary').click();
      const shown = await details.locator('pre').first().innerText();
      expect(shown).toBe(hostile.replace('\u202e', '[U+202E]'));
      expect(await page.title()).toStartWith('Eval run');
      expect(await page.locator('h1').allInnerTexts()).toEqual(['Eval run scorecard']);
      expect(await page.locator('script, img, link, base, form, iframe, meta[http-equiv]').count()).toBe(0);
      expect(await page.locator('body').isVisible()).toBe(true);
      expect(requests).toHaveLength(1);
    });
  });

  test('follows the light or dark preference of the reader and is readable in both', async () => {
    await visit(async ({ page }) => expect(await backgroundOf(page)).toBe('rgb(252, 251, 248)'), {
      colorScheme: 'light',
    });
    await visit(async ({ page }) => expect(await backgroundOf(page)).toBe('rgb(20, 23, 28)'), {
      colorScheme: 'dark',
    });
  });

  test('prints in light colours with every case expanded and no controls', async () => {
    await visit(
      async ({ page }) => {
        await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
        expect(await backgroundOf(page)).toBe('rgb(255, 255, 255)');
        expect(await page.locator('.shown').isVisible()).toBe(false);
        const last = (await page.locator('details pre').last().boundingBox())!;
        expect(last.height).toBeGreaterThan(10);
        expect((await page.pdf({ format: 'A4' })).length).toBeGreaterThan(50_000);
      },
      { colorScheme: 'dark' },
    );
  });

  test('fits a phone without horizontal scrolling, also with the widest figures', async () => {
    await visit(
      async ({ page }) => {
        expect(await page.evaluate<string[]>(tooWide)).toEqual([]);
        await page.evaluate(widestFigures);
        expect(await page.evaluate<string[]>(tooWide)).toEqual([]);
        const ladder = (await page.locator('.ladder').boundingBox())!;
        expect(ladder.width).toBeGreaterThan(250);
      },
      { viewport: { width: 360, height: 740 } },
    );
  });
});
