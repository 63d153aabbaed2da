/**
 * Opens a page of the hub in a browser that can reach only the hub. A visit fails on every error that the
 * page or the browser reports.
 */
import { expect } from 'bun:test';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

export interface Visit {
  readonly page: Page;
  /** Every requested URL so far. */
  readonly requests: readonly string[];
}

const wide = { width: 1100, height: 900 };
/** Generous, for a busy machine. */
const shownWithinMs = 60_000;

/** Chromium warns about preloaded parts that the page does not need yet. */
const unusedPreload = /was preloaded using link preload but not used/;

/** In a page whose policy forbids all scripts, also this harness's own listener for violations of the policy. */
const blockedScript = /^Blocked script execution in /;

/** Navigating to the next page aborts the current page's file loads and its requests for updates. */
const leftEarly = 'net::ERR_ABORTED';

/**
 * Opens `url` in a new window, closes it after `look`, and checks the reported errors.
 * @param origins what the browser can reach, by default only that of `url`
 */
export async function visitPage(
  browser: Browser,
  url: string,
  look: (visit: Visit) => Promise<void>,
  options: BrowserContextOptions = {},
  origins: readonly string[] = [new URL(url).origin],
): Promise<void> {
  const requests: string[] = [];
  const complaints: string[] = [];
  const isHome = (address: string): boolean => origins.includes(new URL(address).origin);
  const context = await browser.newContext({ viewport: wide, ...options });
  context.setDefaultTimeout(shownWithinMs);
  try {
    await context.route('**/*', (route, request) =>
      isHome(request.url()) ? route.continue() : route.abort('internetdisconnected'),
    );
    // The console shows these errors too, but not those of frames and workers.
    await context.addInitScript(
      `document.addEventListener('securitypolicyviolation', (event) => console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI));`,
    );
    const page = await context.newPage();
    page.on('request', (request) => {
      requests.push(request.url());
      if (!isHome(request.url())) complaints.push(`asked for ${request.url()}`);
    });
    page.on('requestfailed', (request) => {
      const reason = request.failure()?.errorText;
      const isExtra = request.url().includes('/site/') || request.resourceType() === 'fetch';
      if (reason === leftEarly && isExtra) return;
      complaints.push(`failed: ${request.url()} ${reason}`);
    });
    page.on('response', (response) => {
      if (response.status() >= 400) complaints.push(`${response.status()} ${response.url()}`);
    });
    page.on('websocket', (socket) => complaints.push(`socket: ${socket.url()}`));
    page.on('console', (message) => {
      if (!unusedPreload.test(message.text())) complaints.push(`${message.type()}: ${message.text()}`);
    });
    page.on('pageerror', ({ message }) => {
      if (!blockedScript.test(message)) complaints.push(`error: ${message}`);
    });
    await page.goto(url);
    await look({ page, requests });
    expect(complaints).toEqual([]);
  } finally {
    await context.close();
  }
}

/** Clicks an element that leads to another page, and waits for that page. */
export async function follow(page: Page, selector: string): Promise<void> {
  await Promise.all([page.waitForEvent('load'), page.click(selector)]);
}

/** The lightness of the background, from 0 (black) to 255 (white, the default). */
export function lightnessOf(page: Page): Promise<number> {
  return page.evaluate<number>(String.raw`(() => {
    const grounds = [document.body, document.documentElement].map((one) => getComputedStyle(one).backgroundColor);
    return Number(/\d+/.exec(grounds.find((ground) => !ground.endsWith(', 0)')) ?? '255')[0]);
  })()`);
}
