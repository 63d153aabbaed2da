/**
 * Makes the pages of the site, few at a time, and caches public ones for visitors without a session until anything in
 * the store changes, or those with a version until that changes, so that a popular page is rendered once. What a page
 * reads for everybody alike is cached in the same way. What depends on the clock, such as the list of upcoming events,
 * is at most a second late.
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
  /** What the page at this address reads for everybody: as it was read before if the store has not changed since. */
  readForAll<Data>(address: string, read: () => Promise<Data>): Promise<Data>;
}

const ageMaxMs = 1_000;
/** The pages with versions may show what the version does not name. */
const keptMaxMs = 600_000;
/** For each of the three caches, enough for the largest page; at most 12 MB beside the compressed forms. */
const charactersMax = 4_000_000;
const entriesMax = 200;

export function createCachedPages({
  db,
  clock,
}: {
  readonly db: Database;
  readonly clock: Clock;
}): CachedPages {
  const turns = createReadTurns('pages');
  const lengthOf = ({ content }: MadePage) => content.text.length;
  const recent = new Cache<MadePage>(clock, { ageMaxMs, lengthOf, mayStay: ({ isPrivate }) => !isPrivate });
  const kept = new Cache<MadePage>(clock, { ageMaxMs: keptMaxMs, lengthOf });
  const readings = new Cache(clock, { ageMaxMs, lengthOf: (data) => JSON.stringify(data).length });
  let version: string | null = null;

  /**
   * Forgets what is of another version of the store.
   * @returns whether the store has told its version
   */
  const keepUp = async (): Promise<boolean> => {
    // Pages that need no store are served without it.
    const current = await readVersion(db).catch(() => null);
    if (current === null) return false;
    if (current !== version) {
      recent.clear();
      readings.clear();
      version = current;
    }
    return true;
  };

  const makeInTurn = async (make: Make, reader: Reader): Promise<MadePage> => {
    const end = await turns.take(reader());
    return begin(make).finally(end);
  };

  const getFrom = async (
    cache: Cache<MadePage>,
    key: string,
    make: Make,
    reader: Reader,
  ): Promise<MadePage> => {
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
      // Read before the page is made: if the store changes meanwhile, the next request reads another version.
      if (!(await keepUp())) return makeInTurn(make, reader);
      return getFrom(recent, address, make, reader);
    },
    keep: (key, make, reader) => getFrom(kept, key, make, reader),
    make: makeInTurn,
    readForAll: async <Data>(address: string, read: () => Promise<Data>) => {
      if (!(await keepUp())) return read();
      // One address is always read in the same way.
      return (readings.find(address) ?? readings.add(address, read())) as Promise<Data>;
    },
  };
}

/** Other requests come to their turn between two pages, and before a page is compressed. */
async function begin(make: Make): Promise<MadePage> {
  await takeTurn();
  const page = await make();
  await takeTurn();
  return page;
}

interface Entry<Value> {
  readonly value: Promise<Value>;
  readonly begunAtMs: number;
  /** Null until the value is there. */
  length: number | null;
}

interface CacheRules<Value> {
  readonly ageMaxMs: number;
  /** In characters. */
  readonly lengthOf: (value: Value) => number;
  /** Whether the value stays once it is there; by default it does. */
  readonly mayStay?: (value: Value) => boolean;
}

class Cache<Value> {
  /** The most recently used one is last. */
  readonly #entries = new Map<string, Entry<Value>>();
  readonly #clock: Clock;
  readonly #rules: CacheRules<Value>;

  constructor(clock: Clock, rules: CacheRules<Value>) {
    this.#clock = clock;
    this.#rules = rules;
  }

  /** The value, which may not be there yet. */
  find(key: string): Promise<Value> | null {
    const known = this.#entries.get(key);
    if (known === undefined) return null;
    this.#entries.delete(key);
    const ageMs = this.#clock.now().getTime() - known.begunAtMs;
    if (known.length !== null && !(ageMs >= 0 && ageMs <= this.#rules.ageMaxMs)) return null;
    this.#entries.set(key, known);
    return known.value;
  }

  async add(key: string, value: Promise<Value>): Promise<Value> {
    const added: Entry<Value> = { value, begunAtMs: this.#clock.now().getTime(), length: null };
    this.#entries.set(key, added);
    try {
      const made = await value;
      added.length = this.#rules.lengthOf(made);
      const mayStay = this.#rules.mayStay?.(made) ?? true;
      if (!mayStay || added.length > charactersMax) this.#forget(key, added);
      else this.#dropOldest();
    } catch (error) {
      this.#forget(key, added);
      throw error;
    }
    return value;
  }

  clear(): void {
    this.#entries.clear();
  }

  /** The store may have changed, and another value be cached under the same key. */
  #forget(key: string, added: Entry<Value>): void {
    if (this.#entries.get(key) === added) this.#entries.delete(key);
  }

  #dropOldest(): void {
    let all = this.#entries.values().reduce((sum, { length }) => sum + (length ?? 0), 0);
    for (const [key, { length }] of this.#entries) {
      if (all <= charactersMax && this.#entries.size <= entriesMax) return;
      // Readers may still wait for it.
      if (length === null) continue;
      all -= length;
      this.#entries.delete(key);
    }
  }
}
