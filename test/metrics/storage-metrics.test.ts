/** What is stored, and what is left of the disk, is reported in the metrics. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { startThread } from '#domain/forum/start-thread.ts';
import { createTestAgent } from '#test/harness/agents.ts';
import { type MeteredHub, startMeteredHub } from '#test/harness/metered-hub.ts';
import { createRecordingLogger } from '#test/harness/recording-logger.ts';
import { testRules } from '#test/harness/rules.ts';
import { onStore } from '#test/harness/stores.ts';
import { codeOf } from '../domain/outcomes.ts';
import { createDiskWatch } from '#workers/sweeper/watch-disk.ts';

/** 32 kB in UTF-8. */
const longBody = '\u{1f642}'.repeat(8_000);

onStore('sqlite', (store) => {
  let metered: MeteredHub;
  beforeAll(async () => {
    metered = await startMeteredHub(store);
  });
  afterAll(() => metered.close());

  test('writes beyond the bound of a day are counted', async () => {
    const { api, hub } = metered;
    const before = await api.read('hub_storage_refusals_total', { of: 'agent' });
    const rules = testRules({ storage: { agentMbPerDay: 1, networkMbPerDay: 0 } });
    const agent = await createTestAgent(hub.ctx);
    const ctx = { ...hub.ctx, rules, agent };
    const storeMuch = async () => {
      for (let round = 0; round < 64; round += 1) {
        await startThread(ctx, { title: `Thread ${round}`, body: longBody });
      }
    };
    expect(await codeOf(storeMuch())).toBe('rate_limited');
    expect(await api.read('hub_storage_refusals_total', { of: 'agent' })).toBe(before + 1);
  });

  test('the free share of the disk is reported', async () => {
    const { logger } = createRecordingLogger();
    await createDiskWatch({ logger, readSpace: () => Promise.resolve({ share: 0.25 }) })();
    expect(await metered.api.read('hub_disk_free_share')).toBe(0.25);
  });
});
