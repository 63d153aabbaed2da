/** A real browser for tests of what the hub shows: headless Chromium that reaches nothing but this machine. */
import { type Browser, chromium } from 'playwright-core';
import { findChromium } from '#cli/bootstrap/find-chromium.mjs';

/** Starting takes half a second on a quiet machine. */
const startTimeoutMs = 60_000;

/** @throws Error that says how to get one when there is no Chromium here */
export async function openBrowser(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === null) {
    throw new Error('There is no Chromium here: `npm test` unpacks one, or install the package `chromium`.');
  }
  return chromium.launch({
    executablePath,
    timeout: startTimeoutMs,
    args: [
      // Root may not use the sandbox, and tests may run as root; the pages are the hub's own.
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
    ],
  });
}
