/** The hub with many of everything. Filling it takes seconds, so the files of a test run open copies of one. */
import { join } from 'node:path';
import { createTestClock } from '#test/harness/clock.ts';
import { startTestHub } from '#test/harness/hub.ts';
import { shareOfRun } from '#test/harness/run-share.ts';
import { contentOf, openCopy } from '#test/harness/stores.ts';
import { type FilledHub, type TourHub, tourRules } from './fill-tour-hub.ts';

const filling = 'many';
const storeFile = 'hub.sqlite';
const tourFile = 'tour.json';

interface SavedTour extends Pick<FilledHub, 'cookies' | 'specials' | 'maintainerDid'> {
  /** The time on the hub's clock. */
  readonly now: string;
}

/** Stores in the folder what a copy of the hub needs. */
export async function saveFullHub(filled: FilledHub, folder: string): Promise<void> {
  const { cookies, specials, maintainerDid, hub, store } = filled;
  const saved: SavedTour = { cookies, specials, maintainerDid, now: hub.clock.now().toISOString() };
  await Bun.write(join(folder, tourFile), JSON.stringify(saved));
  await Bun.write(join(folder, storeFile), contentOf(store));
}

/** Opens a copy of the hub of this test run. */
export async function openFullHub(): Promise<TourHub> {
  const keeper = join(import.meta.dirname, 'children', 'keep-full-hub.ts');
  const folder = await shareOfRun('full-hub', keeper);
  const { cookies, specials, maintainerDid, now }: SavedTour = await Bun.file(join(folder, tourFile)).json();
  const store = await openCopy(await Bun.file(join(folder, storeFile)).bytes());
  const hub = await startTestHub({
    store,
    ownBaseUrl: true,
    clock: createTestClock(new Date(now)),
    rules: { ...tourRules(filling), maintainerDids: new Set([maintainerDid]) },
  });
  const close = async (): Promise<void> => {
    await hub.close();
    await store.remove();
  };
  return { filling, store, hub, cookies, specials, close };
}
