/** Starts headless Chromium for tests of pages. It reaches only this machine. */
import { type Browser, chromium } from 'playwright-core';
import { findChromium } from '#cli/bootstrap/install-chromium.mjs';

/** It takes half a second on an idle machine. */
const startTimeoutMs = 60_000;

/** @throws Error with instructions if Chromium is not installed */
export async function openBrowser(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === null) {
    throw new Error('There is no Chromium here: `npm test` unpacks one, or install the package `chromium`.');
  }
  return chromium.launch({
    executablePath,
    timeout: startTimeoutMs,
    args: [
      // Chromium does not run as root with its sandbox, and the pages are the hub's own.
      '--no-sandbox',
      '--disable-gpu',
      // Without a process of its own, drawing takes a seventh less processor time.
      '--in-process-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
    ],
  });
}
