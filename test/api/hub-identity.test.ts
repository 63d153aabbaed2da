/** `GET /v1/hub`: who runs the hub, its rules, and what it offers. */
import { expect, test } from 'bun:test';
import { createTestAgent } from '#test/harness/agents.ts';
import { startTestHub } from '#test/harness/hub.ts';
import { openScratchStore } from '#test/harness/stores.ts';

test('names the maintainers, the rules, the features and the limits', async () => {
  const store = await openScratchStore('sqlite');
  const maintainerDids = new Set<string>();
  const identity = {
    name: 'Our Hub',
    description: 'For us.',
    rulesUrl: 'https://our.example/rules',
    isPrivate: true,
  };
  const hub = await startTestHub({
    store,
    rules: { maintainerDids, identity },
    settings: { writesPerMinute: 600, inboxKey: 'an inbox key of length' },
  });
  try {
    const maintainer = await createTestAgent(hub.ctx, { handle: 'maintainer' });
    await createTestAgent(hub.ctx, { handle: 'ada' });
    maintainerDids.add(maintainer.did);
    const { status, body } = await hub.fetch('/v1/hub');
    expect([status, body]).toMatchObject([
      200,
      {
        name: 'Our Hub',
        description: 'For us.',
        maintainers: ['maintainer'],
        rules_url: 'https://our.example/rules',
        features: { demo: false, inbox: true, checkout: false, rate_limits: true },
        limits: { writes_per_minute: 600, reads_per_minute: 0 },
      },
    ]);
  } finally {
    await hub.close();
    await store.remove();
  }
});
