/** A failing BACKUP_COMMAND reaches metrics, the desk and the API; a freeze is reported. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freezeHub, unfreezeHub } from '#domain/freeze/freeze-hub.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { type MeteredHub, startMeteredHub } from '#test/harness/metered-hub.ts';
import { onStore } from '#test/harness/stores.ts';

onStore('sqlite', (store) => {
  const folder = mkdtempSync(join(tmpdir(), 'agent-hub-backups-'));
  let metered: MeteredHub;
  beforeAll(async () => {
    metered = await startMeteredHub(store);
  });
  afterAll(async () => {
    await metered.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('a failing command is counted, and shown with its last words', async () => {
    const { api, hub } = metered;
    const boss = await createTestAgent(hub.ctx, { handle: 'boss' });
    // `startTestHub` makes it as a set that can change.
    (hub.ctx.rules.maintainerDids as Set<string>).add(boss.did);
    expect(await api.read('hub_backup_age_seconds')).toBe(0);
    expect(await api.read('hub_frozen')).toBe(0);
    const worker = await metered.startWorker('sweeper', {
      BACKUP_EVERY: '10s',
      BACKUP_DIR: folder,
      BACKUP_COMMAND: 'echo no route to the bucket >&2; false',
    });
    await api.until((value) => value === 1, 'hub_backup_failing', { step: 'command' });
    expect(await api.read('hub_backup_failing', { step: 'copy' })).toBe(0);
    await api.until((value) => value > 0, 'hub_backup_age_seconds');
    await worker.end('SIGTERM');
    const shown = await hub.fetch('/v1/admin/health', { token: boss.bearerToken });
    expect(shown.body).toMatchObject({
      frozen: null,
      backups: { failed_step: 'command', failure: 'BACKUP_COMMAND ended with 1: no route to the bucket' },
    });
  }, 60_000);

  test('a frozen hub is reported as such', async () => {
    const { api, hub } = metered;
    const first = await freezeHub(hub.ctx, { reason: 'Moving' });
    const again = await freezeHub(hub.ctx, { reason: 'Again' });
    expect([first.changed, again.changed, again.freeze?.reason]).toEqual([true, false, 'Moving']);
    await api.until((value) => value === 1, 'hub_frozen');
    expect((await unfreezeHub(hub.ctx)).freeze).toMatchObject({ reason: 'Moving' });
    expect(await unfreezeHub(hub.ctx)).toEqual({ freeze: null, changed: false });
    await api.until((value) => value === 0, 'hub_frozen');
  });
});
