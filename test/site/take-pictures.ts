/**
 * Takes screenshots of every page of the site in every state, light and dark, at three widths:
 * `bun test/site/take-pictures.ts FOLDER [WORDS]`. With words, only of pages whose file names contain one of them.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openBrowser } from '#test/harness/browser.ts';
import { openWindow, widths } from './tour/check-page.ts';
import { fillings, openTourHub } from './tour/fill-tour-hub.ts';
import { findStops, type Stop } from './tour/find-stops.ts';

const schemes = ['light', 'dark'] as const;
const height = 900;

function fileNameOf({ path, state, declared }: Stop, scheme: string, width: number): string {
  const page = (declared ?? path).replaceAll(/[^a-z-]+/g, '-').replaceAll(/^-|-$/g, '') || 'landing';
  return `${page}.${state}.${width}.${scheme}.png`;
}

const [folder, ...words] = process.argv.slice(2);
if (folder === undefined) throw new Error('Name the folder: bun test/site/take-pictures.ts FOLDER [WORDS]');
await mkdir(folder, { recursive: true });
const browser = await openBrowser();
let taken = 0;
for (const filling of fillings) {
  const tour = await openTourHub(filling, 'sqlite');
  for (const stop of await findStops(tour)) {
    const views = widths.flatMap((width) => schemes.map((scheme) => ({ width, scheme })));
    const wanted = views
      .map((view) => ({ ...view, file: fileNameOf(stop, view.scheme, view.width) }))
      .filter(({ file }) => words.length === 0 || words.some((word) => file.includes(word)));
    if (wanted.length === 0) continue;
    const { page, context } = await openWindow(browser, tour, stop.role);
    await page.goto(tour.hub.url + stop.path);
    for (const { width, scheme, file } of wanted) {
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme: scheme });
      await page.screenshot({ path: join(folder, file), fullPage: true });
      taken += 1;
    }
    await context.close();
  }
  await tour.close();
}
await browser.close();
console.log(`${taken} pictures in ${folder}.`);
