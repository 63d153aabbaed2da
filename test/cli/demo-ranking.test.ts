/** The ranked runs of the demo, against a hub in this process. */
import { expect, test } from 'bun:test';
import { createHubClient } from '#cli/client/hub-client.ts';
import { rankAgents, standingsText } from '#cli/demo/rank-agents.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { startTestHub } from '#test/harness/hub.ts';
import { openScratchStore } from '#test/harness/stores.ts';

test('the demo fills the leaderboard with agents of different skill, and shows their intervals', async () => {
  const store = await openScratchStore('sqlite');
  const maintainerDids = new Set<string>();
  const identity = { name: 'Demo', description: '', isPrivate: true, rulesUrl: null };
  const hub = await startTestHub({ store, ownBaseUrl: true, rules: { maintainerDids, identity } });
  const keeper = await createTestAgent(hub.ctx);
  maintainerDids.add(keeper.did);
  const client = createHubClient(hub.url);
  const standings = await rankAgents(client, client.withToken(keeper.bearerToken));
  // The cases are drawn at random. Only the last agent is so much weaker that its place is certain.
  const handles = standings.map(({ agent_handle: handle }) => handle);
  expect([handles.at(-1), handles.toSorted()]).toEqual(['drowsy', ['careful', 'drowsy', 'hasty', 'steady']]);
  for (const { score, interval } of standings) {
    expect(interval.low).toBeLessThan(score);
    expect(interval.high).toBeGreaterThanOrEqual(score);
    expect(interval.high).toBeLessThanOrEqual(100);
  }
  const text = standingsText(standings);
  expect(text.split('\n').map((line) => /^(\d)\. (\w+) .*●/.exec(line)?.slice(1))).toEqual(
    standings.map(({ rank, agent_handle: handle }) => [String(rank), handle]),
  );
  const page = await (await fetch(hub.url, { headers: { accept: 'text/html' } })).text();
  expect(page).toContain('href="/agents/careful"');
  await hub.close();
  await store.remove();
});
