/** Starts headless Chromium for tests of pages. It reaches only this machine. */
import { type Browser, chromium } from 'playwright-core';
import { requireTool } from '#cli/bootstrap/test-tools.mjs';
import { useStarted } from './use-started.ts';

/** It takes half a second on an idle machine. */
const startTimeoutMs = 60_000;

export async function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: requireTool('chromium'),
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

export function useBrowser(): Browser {
  return useStarted(openBrowser, (browser) => browser.close());
}
