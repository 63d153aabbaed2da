/** Keeps the content of a hub with many of everything for one test run. */
import { saveFullHub } from '../full-hub.ts';
import { fillTourHub } from '../fill-tour-hub.ts';
import { keepForRun } from '#test/harness/run-share.ts';
import { openScratchStore } from '#test/harness/stores.ts';

await keepForRun(async (folder) => {
  const filled = await fillTourHub('many', await openScratchStore('sqlite'));
  await saveFullHub(filled, folder);
  await filled.close();
  return { place: folder, end: () => Promise.resolve() };
});
