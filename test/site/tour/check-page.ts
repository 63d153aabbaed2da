/** Looks for faults in a page in a browser, at every width and in both colour schemes. */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { accessibilityFaults, preloadAxe } from '#test/harness/accessibility.ts';
import type { Stop } from './find-stops.ts';
import type { TourHub } from './fill-tour-hub.ts';

const height = 800;
/** A desktop, a tablet and a phone. */
export const widths = [1280, 768, 360] as const;

/** Generous, for a busy machine. */
const shownWithinMs = 60_000;

/**
 * The share of the screen that moves, times the distance. A table that arrives row by row may widen its columns: of all
 * pages, one moved by 0.0016 when each took 0.7 s to arrive. Up to 0.1 counts as good (Web Vitals).
 */
const maxShift = 0.01;

/** Records what shifts in the layout, and how far, while a page loads. */
const recordShifts = `window.shifts = []; new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    const names = entry.sources.map(({ node }) => (node?.outerHTML ?? String(node?.nodeValue)).slice(0, 100));
    window.shifts.push(entry.value + ': ' + names.join(' and '));
  }
}).observe({ type: 'layout-shift', buffered: true })`;

/** Focuses every control in turn. Browsers show a focus that a script sets only after a key was pressed. */
const focusFaults = `(() => {
  const controls = 'a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex]:not(main)';
  const shown = [...document.querySelectorAll(controls)].filter((control) => control.checkVisibility());
  return shown.flatMap((control) => {
    const name = control.outerHTML.slice(0, 100);
    if (control.tabIndex !== 0) return ['not in the tab order: ' + name];
    control.focus();
    if (document.activeElement !== control) return ['without focus: ' + name];
    const { outlineStyle, outlineWidth } = getComputedStyle(control);
    const { width, height } = control.getBoundingClientRect();
    const isVisible = outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2 && width > 1 && height > 1;
    return isVisible ? [] : ['without visible focus: ' + name];
  });
})()`;

/** States and times that end outside of the screen. */
const cutOff = `[...document.querySelectorAll('main .state, main time')]
  .filter((part) => part.getBoundingClientRect().right > innerWidth).map((part) => part.outerHTML)`;

export interface TourWindow {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the browser has reported since the last page. */
  readonly complaints: string[];
}

/** Opens a window with the session of a role. */
export async function openWindow(
  browser: Browser,
  { hub, cookies }: TourHub,
  role: Stop['role'],
  javaScriptEnabled = true,
): Promise<TourWindow> {
  const context = await browser.newContext({ viewport: { width: widths[0], height }, javaScriptEnabled });
  context.setDefaultTimeout(shownWithinMs);
  await context.addInitScript(recordShifts);
  await preloadAxe(context);
  const [name = '', value = ''] = cookies[role]?.split('=') ?? [];
  if (name !== '') await context.addCookies([{ name, value, url: hub.url }]);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    // A page with an error status is a failed resource for the browser.
    if (!message.text().startsWith('Failed to load resource')) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== hub.url) complaints.push(`requested ${request.url()}`);
  });
  return { page, context, complaints };
}

/**
 * Opens a page.
 * @param inDark whether to check the contrast in the dark scheme too
 * @returns the faults
 */
export async function checkPage(window: TourWindow, url: string, inDark: boolean): Promise<string[]> {
  const { page, complaints } = window;
  complaints.length = 0;
  await page.setViewportSize({ width: widths[0], height });
  await page.emulateMedia({ colorScheme: 'light' });
  await page.goto(url);
  const shifts = await page.evaluate<string[]>('window.shifts');
  const isShifting = shifts.reduce((sum, shift) => sum + parseFloat(shift), 0) > maxShift;
  const faults = isShifting ? shifts.map((shift) => `the layout shifts by ${shift}`) : [];
  await page.evaluate('document.querySelectorAll("details").forEach((part) => (part.open = true))');
  faults.push(...(await accessibilityFaults(page, [], ['target-size'])));
  await page.keyboard.press('Tab');
  faults.push(...(await page.evaluate<string[]>(focusFaults)));
  for (const width of widths) {
    await page.setViewportSize({ width, height });
    const shown = await page.evaluate<number>('document.documentElement.scrollWidth');
    if (shown > width) faults.push(`${shown} pixels wide on a screen of ${width}`);
  }
  faults.push(...(await page.evaluate<string[]>(cutOff)).map((part) => `cut off on a phone: ${part}`));
  if (!inDark) return [...faults, ...complaints];
  await page.emulateMedia({ colorScheme: 'dark' });
  faults.push(...(await accessibilityFaults(page, ['color-contrast'])).map((fault) => `dark: ${fault}`));
  return [...faults, ...complaints];
}
