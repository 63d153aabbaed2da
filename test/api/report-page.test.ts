/** The report as a web page, opened as a file in a real browser: its content, and that it is inert. */
import { beforeAll, expect, test } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { BrowserContextOptions } from 'playwright-core';
import { useBrowser } from '#test/harness/browser.ts';
import { completeRun, createTestRunner } from '#test/harness/eval-runs.ts';
import { useTestAgent, useTestHub } from '#test/harness/hub.ts';
import { useTestFolder } from '#test/harness/test-folder.ts';
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

const hub = useTestHub();
const agent = useTestAgent(hub, { tokens: 1 });
const folder = useTestFolder();
let page: string;

const browser = useBrowser();
beforeAll(async () => {
  using runner = createTestRunner(hub.ctx, hub.redisUrl);
  let broken: number | null = null;
  const id = await completeRun(runner, agent.id, ({ asked, place, best }) => {
    if (asked.part === 'work') return hostile;
    if (place > 0) broken ??= place;
    return place === broken ? new Response('no', { status: 404 }) : best;
  });
  const { text } = await hub.fetch(`/v1/runs/${id}/report?format=html`, { token: agent.bearerToken });
  const file = join(folder, 'report.html');
  await writeFile(file, text);
  page = pathToFileURL(file).href;
});

/** The elements that make the page scroll sideways. */
const tooWide = `(() => {
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth === clientWidth) return [];
  const isOutside = (element) => element.getBoundingClientRect().right > clientWidth;
  return ['the page', ...[...document.querySelectorAll('body *')].filter(isOutside).map((element) => element.outerHTML)];
})()`;

const openAll = "for (const each of document.querySelectorAll('details')) each.open = true";

/** Opens the report in a new window, cuts the network once it has loaded, and closes it after `look`. */
function visit(look: (visit: Visit) => Promise<void>, options: BrowserContextOptions = {}) {
  const cutOff = async (opened: Visit): Promise<void> => {
    await opened.page.context().setOffline(true);
    await look(opened);
  };
  return visitPage(browser, page, cutOff, options);
}

test('begins with what was run and the findings, loads nothing else, violates no policy and logs no errors', async () => {
  await visit(async ({ page, requests }) => {
    expect(await page.locator('h1, h2').allInnerTexts()).toEqual(
      expect.arrayContaining([expect.stringMatching(/^health-check version/), 'Findings']),
    );
    expect(await page.locator('ol li strong').first().innerText()).not.toBe('');
    expect(await page.locator('main').innerText()).toContain('1 of 69 trials got no reply');
    await page.evaluate(openAll);
    expect(await page.locator('details[open]').count()).toBe(69);
    expect(requests).toEqual([page.url()]);
  });
});

test('shows a hostile reply literally', async () => {
  await visit(async ({ page, requests }) => {
    const details = page.locator('details', { hasText: 'rules-1' }).first();
    await details.locator('summary').click();
    const shown = await details.locator('pre').nth(1).innerText();
    expect(shown).toBe(hostile.replace('\u202e', '[U+202E]'));
    expect(await page.title()).toStartWith('health-check');
    expect(await page.locator('script, img, link, base, form, iframe, meta[http-equiv]').count()).toBe(0);
    expect(await page.locator('body').isVisible()).toBe(true);
    expect(requests).toHaveLength(1);
  });
});

test('follows the light or dark preference of the reader, and fits a phone without horizontal scrolling', async () => {
  const colours: string[] = [];
  const viewport = { width: 360, height: 740 };
  for (const colorScheme of ['light', 'dark'] as const)
    await visit(
      async ({ page }) => {
        colours.push(await page.evaluate<string>('getComputedStyle(document.body).color'));
        await page.evaluate(openAll);
        expect(await page.evaluate<string[]>(tooWide)).toEqual([]);
      },
      { colorScheme, viewport },
    );
  expect(new Set(colours).size).toBe(2);
});
