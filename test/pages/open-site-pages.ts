/** Opens every page and every feed of the site as an agent that is also a maintainer. */
import * as documents from '#site/documents/feeds.ts';
import { declaredPages, findStops } from '#test/site/tour/find-stops.ts';
import { signInByForm } from '#test/site/tour/sign-in.ts';
import type { TestAgent } from '#test/harness/agents.ts';
import type { TestHub } from '#test/harness/hub.ts';
import { openPage, type Watched } from './watch-pages.ts';

/**
 * @param more paths besides those that the pages link to
 * @returns the texts of the pages, by path
 */
export async function openSitePages(
  watched: Watched,
  hub: TestHub,
  agent: TestAgent,
  more: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const cookie = await signInByForm(hub, agent);
  const tour = {
    filling: 'many',
    hub,
    cookies: { owner: cookie, maintainer: cookie },
    specials: [],
  } as const;
  const stops = await findStops({ ...tour, close: () => hub.close() });
  const [name = '', value = ''] = cookie.split('=');
  await watched.context.addCookies([{ name, value, url: hub.url }]);
  const feeds = Object.values(documents).filter(({ path }) => !path.includes(':'));
  const paths = new Set([...more, ...stops.map(({ path }) => path), ...feeds.map(({ path }) => path)]);
  const texts = new Map<string, string>();
  for (const path of paths) {
    texts.set(path, await openPage(watched, hub.url + path));
    if (watched.seen.length > 0) throw new Error(`${path}: ${watched.seen.join(', ')}`);
  }
  const left = declaredPages.filter(
    ({ path }) => !path.includes(':') && !stops.some((stop) => stop.path === path),
  );
  if (left.length > 0) throw new Error(`not opened: ${left.map(({ path }) => path).join(', ')}`);
  return texts;
}
