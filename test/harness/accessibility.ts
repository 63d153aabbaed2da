/** Checks the accessibility of the page that a browser shows, with axe. */
import { readFileSync } from 'node:fs';
import type { BrowserContext, Page } from 'playwright-core';

/** The minified form, because the browser parses it again in each window. */
const axe = readFileSync(Bun.resolveSync('axe-core/axe.min.js', import.meta.dir), 'utf8');

/** Loads axe into every page of a window, for windows that check many pages. The browser compiles it once. */
export async function preloadAxe(context: BrowserContext): Promise<void> {
  await context.addInitScript(axe);
}

/**
 * The violations, as `rule: element`.
 * @param rules only these rules; all if empty
 * @param more rules that axe checks only on request
 */
export async function accessibilityFaults(
  page: Page,
  rules: readonly string[] = [],
  more: readonly string[] = [],
): Promise<string[]> {
  const options = {
    resultTypes: ['violations'],
    // Only rules about orientation read style sheets, and the site does not lock it.
    preload: false,
    rules: Object.fromEntries(more.map((rule) => [rule, { enabled: true }])),
    ...(rules.length === 0 ? {} : { runOnly: rules }),
  };
  // The page's policy forbids inline scripts, but not scripts evaluated through the browser's tools.
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(axe);
  const { violations } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
    `axe.run(document, ${JSON.stringify(options)})`,
  );
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}
