/** Watches what pages do or try to do in a browser, and whether their responses forbid it. */
import type { Browser, BrowserContext, Page, Response } from 'playwright-core';

/** What a page did or tried to do. */
export interface Watched {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly seen: string[];
}

/** @param home the origin of the hub; requests to any other are reported */
export async function watchPages(browser: Browser, home: string): Promise<Watched> {
  const seen: string[] = [];
  const context = await browser.newContext({ acceptDownloads: false });
  // A blocked attempt still means that the page treated text as markup.
  await context.addInitScript(
    `document.addEventListener('securitypolicyviolation', (event) => console.error('policy: ' + event.violatedDirective));`,
  );
  const page = await context.newPage();
  page.on('dialog', (dialog) => {
    seen.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(home) && /^(https?|ws|ftp)/.test(request.url())) seen.push(request.url());
  });
  page.on('response', (response) => {
    if (response.url().startsWith(home)) seen.push(...faultsOfHeaders(response));
  });
  page.on('popup', () => seen.push('a window'));
  page.on('console', (message) => {
    if (message.text().startsWith('policy: ')) seen.push(message.text());
  });
  return { context, page, seen };
}

/** Opens a URL as a reader would. Downloads are not shown. @returns the visible text */
export async function openPage({ page, seen }: Watched, url: string, token?: string): Promise<string> {
  await page.setExtraHTTPHeaders(token === undefined ? {} : { authorization: `Bearer ${token}` });
  await page.goto(url, { waitUntil: 'load' }).catch((error: Error) => {
    if (!/Download is starting|ERR_ABORTED/.test(error.message)) throw error;
  });
  const links = `[...document.querySelectorAll('a, form, area')].map((one) => one.href ?? one.action).filter((to) => /^(javascript|data|vbscript):/i.test(to))`;
  const harm = await page.evaluate<unknown[]>(
    `[...(window.owned === undefined ? [] : ['ran']), ...${links}]`,
  );
  seen.push(...harm.map(String));
  // What a form sends back is the author's text, character for character.
  await page.evaluate("document.querySelectorAll('textarea').forEach((field) => field.remove())");
  return page.evaluate<string>('document.documentElement?.textContent ?? ""');
}

/** A browser must respect the declared content type and run no script from the page's own text. */
function faultsOfHeaders(response: Response): string[] {
  const headers = response.headers();
  const faults = headers['x-content-type-options'] === 'nosniff' ? [] : [`${response.url()} may be sniffed`];
  // The dashboard's images are files of its package, not pages.
  if (!response.request().isNavigationRequest()) return faults;
  if (!/html|svg|xml/.test(headers['content-type'] ?? '')) return faults;
  const policy = headers['content-security-policy'] ?? '';
  const scripts = /script-src ([^;]*)/.exec(policy)?.[1] ?? "'none'";
  if (!policy.includes("default-src 'none'") || !["'none'", "'self'"].includes(scripts))
    faults.push(`${response.url()} has the policy ${policy}`);
  return faults;
}
