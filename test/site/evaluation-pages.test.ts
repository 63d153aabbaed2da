/** The owner's pages about runs in a real browser without JavaScript: in light and dark, on a phone, and in print. */
import { beforeAll, describe, expect, test } from 'bun:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { completeAgentRun } from '#test/harness/agent-runs.ts';
import type { BookedTurn } from '#test/harness/answer-book.ts';
import { useBrowser } from '#test/harness/browser.ts';
import { completeRun, createTestRunner } from '#test/harness/eval-runs.ts';
import { useTestAgent, useTestHub } from '#test/harness/hub.ts';
import { lightnessOf, visitPage } from '#test/harness/visit-page.ts';
import { sessionOf } from './tour/sign-in.ts';

let session: BrowserContextOptions;
/** The paths of the pages. */
let paths: { run: string; agentRun: string; compare: string; compareAgents: string; history: string };

const hub = useTestHub({ ownBaseUrl: true });
const browser = useBrowser();
const ada = useTestAgent(hub, { handle: 'ada', tokens: 9 });
beforeAll(async () => {
  using runner = createTestRunner(hub.ctx, hub.redisUrl);
  const reply = (passes: number) => (turn: BookedTurn) =>
    turn.place % 3 < passes ? turn.best : 'I cannot tell.';
  const [before, after] = [
    await completeRun(runner, ada.id, reply(1)),
    await completeRun(runner, ada.id, reply(2)),
  ];
  const as = { ...hub.ctx, agent: ada };
  const [first, second] = [(await completeAgentRun(as)).id, (await completeAgentRun(as)).id];
  paths = {
    run: `/me/runs/${after}`,
    agentRun: `/me/runs/${second}`,
    compare: `/me/compare?before=${before}&after=${after}`,
    compareAgents: `/me/compare?before=${first}&after=${second}`,
    history: '/me/runs',
  };
  session = await sessionOf(hub, ada);
});

/** Shows each page without JavaScript. */
async function visit(
  look: (page: Page, path: string) => Promise<void>,
  options: BrowserContextOptions = {},
  shown: readonly string[] = Object.values(paths),
) {
  await visitPage(
    browser,
    `${hub.url}/me`,
    async ({ page }) => {
      for (const path of shown) {
        await page.goto(hub.url + path);
        await look(page, path);
      }
    },
    { javaScriptEnabled: false, ...session, ...options },
  );
}

/** The part of each page that must be visible in every form. */
function mainPartOf(page: Page, path: string) {
  if (path === paths.run) return page.locator('ul.bars').first();
  return page.locator(path === paths.history ? 'svg.chart' : '.figure').first();
}

test('the pages print in light colours without controls, and keep every task and case', async () => {
  await visit(
    async (page, path) => {
      await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
      expect([path, await lightnessOf(page)]).toEqual([path, 255]);
      expect([path, await mainPartOf(page, path).isVisible()]).toEqual([path, true]);
      for (const hidden of ['.shown', '.side > nav', '.unprinted']) {
        expect([path, hidden, await page.locator(`${hidden}:visible`).count()]).toEqual([path, hidden, 0]);
      }
      const rows = path === paths.run ? 20 : path === paths.agentRun ? 12 : 0;
      expect(await page.locator('.rows > li > details > summary:visible').count(), path).toBe(rows);
    },
    { colorScheme: 'dark' },
  );
});

describe('without a script', () => {
  test('the lists of runs begin with the form, and say how long ago runs were and why one failed', async () => {
    for (const product of ['eval-run', 'agent-run']) {
      const started = await hub.fetch('/v1/redemptions', { token: ada.bearerToken, json: { product } });
      const cancel = `/v1/runs/${started.body.run.id}/cancel`;
      expect((await hub.fetch(cancel, { token: ada.bearerToken, json: {} })).status).toBe(200);
    }
    const look = async (page: Page, path: string) => {
      const first = page.locator('.rows > li:has(.state)').first();
      expect([path, await first.locator('.state').innerText()]).toEqual([path, 'failed']);
      expect(await first.locator('p.bad').innerText()).toMatch(/cancelled/);
      expect(await first.innerText()).toMatch(/just now|\d+ minutes? ago/);
      const form = await page.locator('form[id^="form-start"]').first().boundingBox();
      expect(form!.y).toBeLessThan((await first.boundingBox())!.y);
      const compare = page.getByRole('link', { name: 'Compare the last two runs' });
      expect(await compare.getAttribute('href')).toStartWith('/me/compare?before=');
    };
    await visit(look, {}, ['/me/runs', '/me/runs?product=agent-run']);
  });

  test('an agent run shows its tasks with what was required, done and called', async () => {
    const look = async (page: Page) => {
      expect(await page.locator('h1').innerText()).toStartWith('Agent run of ');
      const text = await page.locator('main').textContent();
      for (const part of ['task-1', 'Budget: ', 'office', 'task_finish']) expect(text).toContain(part);
    };
    await visit(look, {}, [paths.agentRun]);
  });
});
