import { expect, test } from 'bun:test';
import { Hub } from '#client/index.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { actingAs } from '#test/harness/ctx.ts';
import { useTestHub } from '#test/harness/hub.ts';
import { publishTestSuite } from '#test/harness/suites.ts';

const hub = useTestHub();

test('options of `evaluate` are fields of the redemption, and unknown ones are refused', async () => {
  const agent = await createTestAgent(hub.ctx);
  const cases = ['one', 'two'].map((id) => ({ id, prompt: id, expect: [{ equals: id }] }));
  await publishTestSuite(actingAs(hub.ctx, agent), { suite: 1, name: 'echoes', cases });
  const client = new Hub(hub.url, { token: agent.bearerToken });
  const order = {
    product: 'suite-run',
    suite: `@${agent.handle}/echoes`,
    trials: 2,
    limit: 1,
    label: 'main',
  };
  const run = await client.evaluate((prompt) => prompt, order);
  expect(run).toMatchObject({
    status: 'completed',
    score: 100,
    trials: 2,
    only: { cases: 1, of: 2 },
    label: 'main',
  });
  const odd = client.evaluate((prompt) => prompt, { ...order, trails: 3 } as typeof order);
  await expect(odd).rejects.toMatchObject({
    code: 'invalid_body',
    message: expect.stringContaining('trails'),
  });
});
