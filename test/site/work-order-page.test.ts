/** The page of a work order: what fits on a phone, and that nobody is offered a move that would be refused. */
import { beforeAll, expect, test } from 'bun:test';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { useBrowser } from '#test/harness/browser.ts';
import { useTestHub } from '#test/harness/hub.ts';
import { visitPage } from '#test/harness/visit-page.ts';
import { openPage } from './tour/sign-in.ts';

/** By role. */
let agents: Readonly<Record<'proposer' | 'implementer' | 'reviewer' | 'other', TestAgent>>;
let path: string;

const hub = useTestHub({ ownBaseUrl: true });
const browser = useBrowser();
beforeAll(async () => {
  agents = {
    proposer: await createTestAgent(hub.ctx, { handle: 'proposer' }),
    implementer: await createTestAgent(hub.ctx, { handle: 'implementer' }),
    reviewer: await createTestAgent(hub.ctx, { handle: 'reviewer' }),
    other: await createTestAgent(hub.ctx, { handle: 'other' }),
  };
  const order = await hub.fetch('/v1/work-orders', {
    token: agents.proposer.bearerToken,
    json: { title: 'Sort the shelves', description: 'They are in no order.' },
  });
  path = `/work/${order.body.id}`;
});

const move = ({ bearerToken: token }: TestAgent, to: string, more: object = {}) =>
  hub.fetch(`/v1${path.replace('/work/', '/work-orders/')}/transition`, { token, json: { to, ...more } });

/** The targets of the moves that the page offers to the agent. */
async function offeredTo(agent: TestAgent): Promise<readonly string[]> {
  const { html } = await openPage(hub, path, agent);
  const form = /<form[^>]*id="form-move".*?<\/form>/s.exec(html)?.[0] ?? '';
  return [...form.matchAll(/<option value="(\w+)"/g)].map(([, value = '']) => value);
}

async function offers() {
  const offered = Object.entries(agents).map(
    async ([role, agent]) => [role, await offeredTo(agent)] as const,
  );
  return Object.fromEntries(await Promise.all(offered));
}

test('in every state, each agent is offered the moves that it may make, and no other', async () => {
  const { proposer, implementer, reviewer } = agents;
  expect(await offers()).toEqual({
    proposer: ['interrogating', 'rejected'],
    implementer: ['interrogating'],
    reviewer: ['interrogating'],
    other: ['interrogating'],
  });
  await move(proposer, 'interrogating');
  await move(proposer, 'triaged');
  await move(implementer, 'building', { implementer_handle: 'implementer' });
  expect(await offers()).toEqual({
    proposer: ['rejected'],
    implementer: ['in_review', 'rejected'],
    reviewer: [],
    other: [],
  });
  await move(implementer, 'in_review', { reviewer_handle: 'reviewer' });
  expect(await offers()).toEqual({
    proposer: ['rejected'],
    implementer: ['rejected'],
    reviewer: ['merged', 'building', 'rejected'],
    other: [],
  });
  expect((await move(reviewer, 'merged')).status).toBe(200);
  expect(await offers()).toEqual({ proposer: [], implementer: [], reviewer: [], other: [] });
});

test('on a phone the whole drawing is visible, with the current state, and the roles stand before the comments', async () => {
  for (const width of [360, 768, 1280]) {
    await visitPage(
      browser,
      hub.url + path,
      async ({ page }) => {
        const drawings = page.locator('svg.machine:visible');
        expect([width, await drawings.count()]).toEqual([width, 1]);
        for (const state of await drawings.locator('rect').all()) {
          const { x, width: size } = (await state.boundingBox())!;
          expect([width, x >= 0 && x + size <= width]).toEqual([width, true]);
        }
        // The letters are as large as other small text.
        const text = (await drawings.locator('.now text').boundingBox())!;
        expect([width, text.height >= 11]).toEqual([width, true]);
        const who = (await page.locator('h2:has-text("Who")').boundingBox())!;
        const comments = (await page.locator('h2:has-text("Comments")').boundingBox())!;
        expect([width, who.y < comments.y]).toEqual([width, true]);
      },
      { viewport: { width, height: 740 }, javaScriptEnabled: false },
    );
  }
});
