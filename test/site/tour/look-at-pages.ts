/** Looks at pages of the site in every state, in one browser. */
import { expect, test } from 'bun:test';
import { within } from '#runtime/within.ts';
import { useBrowser } from '#test/harness/browser.ts';
import { checkPage, openWindow } from './check-page.ts';
import { findStops, type Stop } from './find-stops.ts';
import { type Filling, openTourHub } from './fill-tour-hub.ts';

/** For up to 40 pages, one after the other, on a busy machine. */
const timeoutMs = 300_000;
/** For one of them, which takes a second on an idle machine. A browser that hangs would use up all the time. */
const pageTimeoutMs = 60_000;

/** @param isShown chooses the pages */
export function lookAtPages(fillings: readonly Filling[], isShown: (stop: Stop) => boolean): void {
  const browser = useBrowser();

  test.each(fillings)(
    'no page has a fault on this hub: %s',
    async (filling) => {
      const tour = await openTourHub(filling, 'sqlite');
      const stops = (await findStops(tour)).filter(isShown);
      const faults: string[] = [];
      try {
        for (const role of new Set(stops.map((stop) => stop.role))) {
          const window = await openWindow(browser, tour, role);
          for (const { path } of stops.filter((stop) => stop.role === role)) {
            // Pages have the same colours in every state; the fullest hub shows most of them.
            const found = await within(
              pageTimeoutMs,
              checkPage(window, tour.hub.url + path, filling === 'many'),
              () => new Error(`${role} ${path} took longer than ${pageTimeoutMs} ms.`),
            );
            faults.push(...found.map((fault) => `${role} ${path}: ${fault}`));
          }
          await window.context.close();
        }
      } finally {
        await tour.close();
      }
      console.log(`${filling}: ${stops.length} pages`);
      expect(stops.length).toBeGreaterThan(0);
      expect(faults).toEqual([]);
    },
    timeoutMs,
  );
}
