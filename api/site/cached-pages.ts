/**
 * Makes the pages of the site, few at a time, and caches public ones for visitors without a session until anything in
 * the store changes, or those with a version until that changes, so that a popular page is rendered once. What depends
 * on the clock, such as the list of upcoming events, is at most a second late.
 */
import type { Database } from '#db/database.ts';
import { readVersion } from '#db/read-version.ts';
import type { Clock } from '#runtime/clock.ts';
import { takeTurn } from '#runtime/loop-turns.ts';
import type { Claimant } from '#runtime/turns/turns.ts';
import { createReadTurns } from '../access/read-turns.ts';

/** A text with its entity tag and its compressed form, each computed at most once. */
export interface Rendered {
  readonly text: string;
  readonly tag: () => string;
  readonly gzipped: () => Uint8Array<ArrayBuffer>;
}

export interface MadePage {
  readonly content: Rendered;
  /** Private pages are cached only under versions of their own. */
  readonly isPrivate: boolean;
  /** See `Shown`. */
  readonly redirectsTo?: string;
}

type Make = () => Promise<MadePage>;
/** Whose turn it takes to make a page. */
type Reader = () => Claimant;

/** All throw DomainError busy if a page cannot be made soon. */
export interface CachedPages {
  /** The page at this address: the cached one if the store has not changed since, otherwise a new one. */
  get(address: string, make: Make, reader: Reader): Promise<MadePage>;
  /** A page with its own version, which is rendered once, however often the store changes. */
  keep(version: string, make: Make, reader: Reader): Promise<MadePage>;
  /** A page for one visitor. */
  make(make: Make, reader: Reader): Promise<MadePage>;
}

const ageMaxMs = 1_000;
/** The pages with versions may show what the version does not name. */
const keptMaxMs = 600_000;
/** For each of the two caches, enough for the largest page; at most 8 MB beside the compressed forms. */
const charactersMax = 4_000_000;
const pagesMax = 200;

export function createCachedPages({
  db,
  clock,
}: {
  readonly db: Database;
  readonly clock: Clock;
}): CachedPages {
  const turns = createReadTurns('pages');
  const recent = new PageCache(clock, { ageMaxMs, keepsPrivate: false });
  const kept = new PageCache(clock, { ageMaxMs: keptMaxMs, keepsPrivate: true });
  let version: string | null = null;

  const makeInTurn = async (make: Make, reader: Reader): Promise<MadePage> => {
    const end = await turns.take(reader());
    return begin(make).finally(end);
  };

  const getFrom = async (cache: PageCache, key: string, make: Make, reader: Reader): Promise<MadePage> => {
    const known = cache.find(key);
    if (known !== null) return known;
    const end = await turns.take(reader());
    // Another reader's page, which may have begun meanwhile, needs no turn of this one. Those who wait share no page: they
    // would come to their turn as late as the reader who asked first.
    const begun = cache.find(key);
    const page = begun ?? cache.add(key, begin(make).finally(end));
    if (begun !== null) end();
    return page;
  };

  return {
    get: async (address, make, reader) => {
      // Read before the page is made: if the store changes meanwhile, the next request reads another version. Pages
      // that need no store are served without it.
      const current = await readVersion(db).catch(() => null);
      if (current === null) return makeInTurn(make, reader);
      if (current !== version) {
        recent.clear();
        version = current;
      }
      return getFrom(recent, address, make, reader);
    },
    keep: (key, make, reader) => getFrom(kept, key, make, reader),
    make: makeInTurn,
  };
}

/** Other requests come to their turn between two pages, and before a page is compressed. */
async function begin(make: Make): Promise<MadePage> {
  await takeTurn();
  const page = await make();
  await takeTurn();
  return page;
}

interface CachedPage {
  readonly page: Promise<MadePage>;
  readonly begunAtMs: number;
  /** Null until it is made. */
  characters: number | null;
}

interface CacheRules {
  readonly ageMaxMs: number;
  readonly keepsPrivate: boolean;
}

class PageCache {
  /** The most recently used page is last. */
  readonly #pages = new Map<string, CachedPage>();
  readonly #clock: Clock;
  readonly #rules: CacheRules;

  constructor(clock: Clock, rules: CacheRules) {
    this.#clock = clock;
    this.#rules = rules;
  }

  /** The page, which may not be made yet. */
  find(key: string): Promise<MadePage> | null {
    const known = this.#pages.get(key);
    if (known === undefined) return null;
    this.#pages.delete(key);
    const ageMs = this.#clock.now().getTime() - known.begunAtMs;
    if (known.characters !== null && !(ageMs >= 0 && ageMs <= this.#rules.ageMaxMs)) return null;
    this.#pages.set(key, known);
    return known.page;
  }

  async add(key: string, page: Promise<MadePage>): Promise<MadePage> {
    const added: CachedPage = { page, begunAtMs: this.#clock.now().getTime(), characters: null };
    this.#pages.set(key, added);
    try {
      const { content, isPrivate } = await page;
      added.characters = content.text.length;
      const mayStay = !isPrivate || this.#rules.keepsPrivate;
      if (!mayStay || added.characters > charactersMax) this.#forget(key, added);
      else this.#dropOldest();
    } catch (error) {
      this.#forget(key, added);
      throw error;
    }
    return page;
  }

  clear(): void {
    this.#pages.clear();
  }

  /** The store may have changed, and another page be cached at the same address. */
  #forget(key: string, added: CachedPage): void {
    if (this.#pages.get(key) === added) this.#pages.delete(key);
  }

  #dropOldest(): void {
    let all = this.#pages.values().reduce((sum, { characters }) => sum + (characters ?? 0), 0);
    for (const [key, { characters }] of this.#pages) {
      if (all <= charactersMax && this.#pages.size <= pagesMax) return;
      // Readers may still wait for it.
      if (characters === null) continue;
      all -= characters;
      this.#pages.delete(key);
    }
  }
}
