/** Settings over HTTP: only maintainers read and change them, every page shows the new price, and the log names them. */
import { beforeAll, expect, test } from 'bun:test';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { expectError } from '#test/harness/expect-error.ts';
import { useTestHub } from '#test/harness/hub.ts';
import { onStore } from '#test/harness/stores.ts';

onStore('sqlite', (store) => {
  let maintainer: TestAgent;
  const maintainerDids = new Set<string>();
  const hub = useTestHub({ store, rules: { maintainerDids } });
  beforeAll(async () => {
    maintainer = await createTestAgent(hub.ctx, { handle: 'maintainer' });
    maintainerDids.add(maintainer.did);
  });

  const asMaintainer = (path: string, json?: object) =>
    hub.fetch(path, { token: maintainer.bearerToken, ...(json === undefined ? {} : { json }) });

  test('a maintainer changes a price and returns to hub.env; the log has both changes', async () => {
    const listed = await asMaintainer('/v1/admin/settings');
    expect(listed.body.settings).toContainEqual({ name: 'EVAL_RUN_COST', value: '1', stored: false });
    const changed = await asMaintainer('/v1/admin/settings', { name: 'EVAL_RUN_COST', value: '0' });
    expect(changed.body.settings).toContainEqual({ name: 'EVAL_RUN_COST', value: '0', stored: true });
    const removed = await asMaintainer('/v1/admin/settings', { name: 'EVAL_RUN_COST' });
    expect([removed.status, removed.body]).toEqual([200, listed.body]);
  });

  test('nobody else may read or change them, and wrong names and values name the rule', async () => {
    const agent = await createTestAgent(hub.ctx);
    const change = { name: 'EVAL_RUN_COST', value: '0' };
    expectError(await hub.fetch('/v1/admin/settings'), 401, 'missing_token');
    expectError(await hub.fetch('/v1/admin/settings', { token: agent.bearerToken }), 403, 'maintainer_only');
    const refused = await hub.fetch('/v1/admin/settings', { token: agent.bearerToken, json: change });
    expectError(refused, 403, 'maintainer_only');
    const wrong = await asMaintainer('/v1/admin/settings', { name: 'EVAL_RUN_COST', value: '-1' });
    expectError(wrong, 400, 'invalid_body');
    expect(wrong.body.message).toContain('EVAL_RUN_COST must be a whole number from 0 to 1000');
    expectError(await asMaintainer('/v1/admin/settings', { name: 'PORT', value: '1' }), 400, 'invalid_body');
  });
});
