/** A freeze is reported in the metrics. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { freezeHub, unfreezeHub } from '#domain/freeze/freeze-hub.ts';
import { type MeteredHub, startMeteredHub } from '#test/harness/metered-hub.ts';
import { onStore } from '#test/harness/stores.ts';

onStore('sqlite', (store) => {
  let metered: MeteredHub;
  beforeAll(async () => {
    metered = await startMeteredHub(store);
  });
  afterAll(() => metered.close());

  test('a frozen hub is reported as such', async () => {
    const { api, hub } = metered;
    expect(await api.read('hub_frozen')).toBe(0);
    const first = await freezeHub(hub.ctx, { reason: 'Moving' });
    const again = await freezeHub(hub.ctx, { reason: 'Again' });
    expect([first.changed, again.changed, again.freeze?.reason]).toEqual([true, false, 'Moving']);
    await api.until((value) => value === 1, 'hub_frozen');
    expect((await unfreezeHub(hub.ctx)).freeze).toMatchObject({ reason: 'Moving' });
    expect(await unfreezeHub(hub.ctx)).toEqual({ freeze: null, changed: false });
    await api.until((value) => value === 0, 'hub_frozen');
  });
});
