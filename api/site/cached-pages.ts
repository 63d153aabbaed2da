/**
 * Caches public pages for visitors without a session until anything in the store changes, so that a popular page is
 * rendered once. What depends on the clock, such as the list of upcoming events, is at most a second late.
 */
import type { Database } from '#db/database.ts';
import { readVersion } from '#db/read-version.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Rendered } from './html-response.ts';

export interface MadePage {
  readonly content: Rendered;
  /** Private pages are not cached. */
  readonly isPrivate: boolean;
  /** See `Shown`. */
  readonly redirectsTo?: string;
}

export interface CachedPages {
  /** The page at this address: the cached one if the store has not changed since, otherwise a new one. */
  get(address: string, make: () => Promise<MadePage>): Promise<MadePage>;
  /** A page with its own version, which is rendered once, however often the store changes. */
  keep(version: string, make: () => Promise<MadePage>): Promise<MadePage>;
}

const ageMaxMs = 1_000;
/** The pages with versions may show what the version does not name. */
const keptMaxMs = 600_000;
/** For all pages together; about 8 MB with their compressed form. */
const charactersMax = 2_000_000;
const keptPagesMax = 200;
const keptCharactersMax = 4_000_000;

export function createCachedPages({
  db,
  clock,
}: {
  readonly db: Database;
  readonly clock: Clock;
}): CachedPages {
  const pages = new Map<string, { readonly page: MadePage; readonly madeAtMs: number }>();
  let version: string | null = null;
  let characters = 0;

  const forgetAll = (): void => {
    pages.clear();
    characters = 0;
  };

  const add = (address: string, page: MadePage, madeAtMs: number): void => {
    const { length } = page.content.text;
    if (page.isPrivate || length > charactersMax) return;
    if (characters + length > charactersMax) forgetAll();
    characters += length - (pages.get(address)?.page.content.text.length ?? 0);
    pages.set(address, { page, madeAtMs });
  };

  return {
    get: async (address, make) => {
      const now = clock.now().getTime();
      // Read before the page is made: if the store changes meanwhile, the next request reads another version. Pages
      // that need no store are served without it.
      const current = await readVersion(db).catch(() => null);
      if (current === null) return make();
      if (current !== version) {
        forgetAll();
        version = current;
      }
      const cached = pages.get(address);
      const age = cached === undefined ? Number.NaN : now - cached.madeAtMs;
      if (cached !== undefined && age >= 0 && age <= ageMaxMs) return cached.page;
      const page = await make();
      if (current === version) add(address, page, now);
      return page;
    },
    keep: createKeptPages(clock),
  };
}

/** The most recently used page is last. */
function createKeptPages(clock: Clock): CachedPages['keep'] {
  const kept = new Map<
    string,
    { readonly page: Promise<MadePage>; readonly madeAtMs: number; characters: number }
  >();

  const dropOldest = (): void => {
    let characters = [...kept.values()].reduce((sum, entry) => sum + entry.characters, 0);
    for (const [key, entry] of kept) {
      if (characters <= keptCharactersMax && kept.size <= keptPagesMax) return;
      characters -= entry.characters;
      kept.delete(key);
    }
  };

  return async (key, make) => {
    const now = clock.now().getTime();
    const known = kept.get(key);
    kept.delete(key);
    if (known !== undefined && now - known.madeAtMs >= 0 && now - known.madeAtMs <= keptMaxMs) {
      kept.set(key, known);
      return known.page;
    }
    // Requests that arrive while the page is made wait for it.
    const made = { page: make(), madeAtMs: now, characters: 0 };
    kept.set(key, made);
    try {
      made.characters = (await made.page).content.text.length;
    } catch (error) {
      kept.delete(key);
      throw error;
    }
    dropOldest();
    return made.page;
  };
}
