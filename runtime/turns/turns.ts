/**
 * Turns at what many agents share: who gets the next slot, and the slots of one resource within this process.
 *
 * Networks are compared first, so that signing up more agents gains nothing; then the agents within a network. At both
 * levels, the one with the fewest slots is next, then the one that has used the least slot-time. Slot-time is compared in
 * slices, so that small differences do not interrupt a run of short calls.
 */
import { shareNetwork } from '../inbound-http/client-address.ts';

/** The agent on whose behalf a slot is taken. */
export interface Claimant {
  /** The network the agent signed up from, hashed. */
  readonly network: string;
  readonly agentId: string;
}

/** The network to which turns are charged. An agent whose network is unknown counts as a network of its own. */
export function networkOfAgent(network: string | null, agentId: string): string {
  return network === null ? agentId : shareNetwork(network);
}

/** Whose turn an agent takes. */
export function claimantOf({
  id,
  network = null,
}: {
  readonly id: string;
  readonly network?: string | null;
}): Claimant {
  return { network: networkOfAgent(network, id), agentId: id };
}

interface Waiting {
  readonly claimant: Claimant;
}

interface Ranked<T> {
  readonly one: T;
  readonly rank: readonly number[];
}

/** The slot-time of one slice. */
export const sliceMs = 5_000;
/** The half-life of slot-time, so that old calls are forgotten. */
const halfLifeMs = 60_000;
/** The average time for which a quick claimant holds a slot, at most. */
const quickMs = 1_000;
/** The slots of that average: many short ones make up for few long ones only. */
const averagedSlots = 4;
/** Above this number, entries without a slot are dropped. */
const rememberedMax = 10_000;

interface Usage {
  held: number;
  /** The sum of the start times of the slots held. */
  startsMs: number;
  usedMs: number;
  /** The times of the last slots that were released, up to `averagedSlots`. */
  readonly lastMs: number[];
  /** When `usedMs` was last reduced. */
  reducedAt: number;
}

interface TurnOrderOptions {
  /** See `isQuick`. */
  readonly quickMs?: number;
  /** Slot-time that counts as equal when claimants are ranked. */
  readonly rankMs?: number;
}

export class TurnOrder {
  readonly #usages = new Map<string, Usage>();
  readonly #now: () => number;
  readonly #quickMs: number;
  readonly #rankMs: number;
  /**
   * Of equals, the one that has held its last slots for the shortest time, or else the newest, comes in turn with the oldest:
   * short calls and new runs start soon, and nothing waits forever.
   */
  #takesOldest = false;

  constructor(now: () => number = () => performance.now(), options: TurnOrderOptions = {}) {
    this.#now = now;
    this.#quickMs = options.quickMs ?? quickMs;
    this.#rankMs = options.rankMs ?? sliceMs;
  }

  /**
   * Counts a slot that the claimant now holds. Returns a function that releases it and returns how long it was held,
   * in ms. It takes another time that counts instead.
   */
  hold(claimant: Claimant): (countedMs?: number) => number {
    const startedAt = this.#now();
    const held = keysOf(claimant).map((key) => this.#usageOf(key));
    for (const usage of held) {
      usage.held += 1;
      usage.startsMs += startedAt;
    }
    return (countedMs) => {
      const tookMs = this.#now() - startedAt;
      for (const usage of held) {
        usage.held -= 1;
        usage.startsMs -= startedAt;
        count(usage, countedMs ?? tookMs);
      }
      this.#forgetSome();
      return tookMs;
    };
  }

  /** The next of several waiting claimants, given in order of arrival. Undefined if there is none. */
  next<T extends Waiting>(waiting: Iterable<T>): T | undefined {
    const rankOf = this.#ranking();
    let best: Ranked<T> | undefined;
    for (const one of waiting) {
      // Keeps the calls of one agent in order.
      if (best?.one.claimant.agentId === one.claimant.agentId) continue;
      const rank = rankOf(one.claimant);
      const difference = best === undefined ? -1 : compareRanks(rank, best.rank);
      const isPreferred = difference === 0 && !this.#takesOldest && !this.#isSlower(one, best?.one);
      if (difference < 0 || isPreferred) best = { one, rank };
    }
    this.#takesOldest = !this.#takesOldest;
    return best?.one;
  }

  /** The claimant that would come last. */
  last<T extends Waiting>(holding: Iterable<T>): T | undefined {
    let worst: Ranked<T> | undefined;
    for (const one of holding) {
      const rank = this.#rankOf(one.claimant);
      if (worst === undefined || compareRanks(rank, worst.rank) > 0) worst = { one, rank };
    }
    return worst?.one;
  }

  /** Whether a claimant arriving now would come before all of these. */
  isFirst(claimant: Claimant, waiting: Iterable<Waiting>): boolean {
    const rankOf = this.#ranking();
    const rank = rankOf(claimant);
    return Iterator.from(waiting).every((other) => compareRanks(rank, rankOf(other.claimant)) <= 0);
  }

  /** Whether one has used at least a slice of slot-time less than the other lately: its network, or its agent within it. */
  usesLess(one: Claimant, other: Claimant): boolean {
    return this.#isLess(one, other, (key) => this.#slicesOf(key));
  }

  /** Whether one holds fewer slots than the other: its network, or its agent within it. */
  holdsFewer(one: Claimant, other: Claimant): boolean {
    return this.#isLess(one, other, (key) => this.#usages.get(key)?.held ?? 0);
  }

  #isLess(one: Claimant, other: Claimant, amountOf: (key: string) => number): boolean {
    const level = one.network === other.network ? 1 : 0;
    return amountOf(keysOf(one)[level]) < amountOf(keysOf(other)[level]);
  }

  /** Whether agent and network have used less than one slice of slot-time lately. */
  isNew(claimant: Claimant): boolean {
    return keysOf(claimant).every((key) => this.#slicesOf(key) === 0);
  }

  /** Whether agent and network have held their last slots for a short time, however many there were. */
  isQuick(claimant: Claimant): boolean {
    return keysOf(claimant).every((key) => {
      const usage = this.#usages.get(key);
      if (usage === undefined) return true;
      const { lastMs, held, startsMs } = usage;
      // One long slot among several short ones may be a pause of the machine, or memory that others left behind.
      const counted = lastMs.length < averagedSlots ? lastMs : lastMs.toSorted((a, b) => a - b).slice(0, -1);
      return sumOf(counted) + held * this.#now() - startsMs <= this.#quickMs * (counted.length + held);
    });
  }

  /** Whether the agent has held slots, and is quick. */
  hasProved(claimant: Claimant): boolean {
    const [, agent] = keysOf(claimant);
    return (this.#usages.get(agent)?.lastMs.length ?? 0) > 0 && this.isQuick(claimant);
  }

  #usageOf(key: string): Usage {
    const known = this.#usages.get(key);
    if (known !== undefined) return known;
    const usage = { held: 0, startsMs: 0, usedMs: 0, lastMs: [], reducedAt: this.#now() };
    this.#usages.set(key, usage);
    return usage;
  }

  /** Agents without a slot so far are the slowest, and equal. */
  #isSlower(one: Waiting, other: Waiting | undefined): boolean {
    const averageMs = (asked: Waiting | undefined): number => {
      const usage = asked === undefined ? undefined : this.#usages.get(keysOf(asked.claimant)[1]);
      return usage === undefined || usage.lastMs.length === 0
        ? Infinity
        : sumOf(usage.lastMs) / usage.lastMs.length;
    };
    return averageMs(one) > averageMs(other);
  }

  #forgetSome(): void {
    if (this.#usages.size <= rememberedMax) return;
    for (const [key, { held }] of this.#usages) if (held === 0) this.#usages.delete(key);
  }

  #slicesOf(key: string, ofMs = sliceMs): number {
    const usage = this.#usages.get(key);
    return usage === undefined ? 0 : Math.floor(this.#slotTimeOf(usage) / ofMs);
  }

  #slotTimeOf(usage: Usage): number {
    const present = this.#now();
    const halvings = Math.floor((present - usage.reducedAt) / halfLifeMs);
    if (halvings > 0) {
      usage.usedMs /= 2 ** halvings;
      usage.reducedAt += halvings * halfLifeMs;
    }
    return usage.usedMs + usage.held * present - usage.startsMs;
  }

  /** Ranks each agent once, however many of its calls wait. */
  #ranking(): (claimant: Claimant) => readonly number[] {
    const ranks = new Map<string, readonly number[]>();
    return (claimant) => {
      const rank = ranks.get(claimant.agentId) ?? this.#rankOf(claimant);
      ranks.set(claimant.agentId, rank);
      return rank;
    };
  }

  #rankOf(claimant: Claimant): readonly number[] {
    const [ofNetwork, ofAgent] = keysOf(claimant);
    return [
      this.#usages.get(ofNetwork)?.held ?? 0,
      this.#slicesOf(ofNetwork, this.#rankMs),
      this.#usages.get(ofAgent)?.held ?? 0,
      this.#slicesOf(ofAgent, this.#rankMs),
    ];
  }
}

function count(usage: Usage, ms: number): void {
  usage.usedMs += ms;
  usage.lastMs.push(ms);
  if (usage.lastMs.length > averagedSlots) usage.lastMs.shift();
}

function sumOf(times: readonly number[]): number {
  return times.reduce((sum, ms) => sum + ms, 0);
}

function keysOf({ network, agentId }: Claimant): readonly [string, string] {
  return [`network ${network}`, `agent ${agentId}`];
}

function compareRanks(one: readonly number[], other: readonly number[]): number {
  for (const [index, value] of one.entries()) {
    const difference = value - (other[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** The line is full, of this agent or of all, or too slow. */
export class LineFullError extends Error {
  override readonly name: string = 'LineFullError';
}

export type Release = (countedMs?: number) => void;

export interface LocalTurns {
  /**
   * @returns a function that releases the slot; see `TurnOrder.hold`
   * @throws LineFullError at once, or later when callers that come first need the place; the reason of the signal if it
   *   fires first
   */
  take(claimant: Claimant, signal?: AbortSignal): Promise<Release>;
  /** Those that wait for a slot. */
  waiting(): IteratorObject<Waiting>;
  /** Turns everybody away who waits. */
  clear(): void;
}

export interface LocalTurnsOptions {
  readonly max: number;
  /** The slots among them that only some may hold; a quarter by default. */
  readonly reserved?: number;
  /** Who may hold them beside these holders: those that have used little slot-time lately, by default. */
  readonly reservedFor?: (claimant: Claimant, holders: ReadonlySet<Waiting>) => boolean;
  /** The callers that may wait. No limit by default. */
  readonly waitingMax?: { readonly ofAgent: number; readonly all: number };
  /** Until a caller is turned away. No limit by default. */
  readonly waitMaxMs?: number;
  /** Where several resources share one, each counts what its claimants use of the others. */
  readonly order?: TurnOrder;
}

interface Waiter extends Waiting {
  readonly begin: () => void;
  readonly turnAway: () => void;
}

const reservedShare = 0.25;
const noLimit = { ofAgent: Infinity, all: Infinity };

/**
 * Shares the slots of one resource within this process. Callers without a slot wait in memory. Where the line is bounded, a
 * full one turns away the caller whose network fills most of it, so that nobody can lock out the others.
 */
export function createLocalTurns({
  max,
  reserved = Math.floor(max * reservedShare),
  waitingMax = noLimit,
  waitMaxMs,
  order = new TurnOrder(),
  reservedFor = (claimant) => order.isNew(claimant),
}: LocalTurnsOptions): LocalTurns {
  const openToAll = max - reserved;
  const waiting = new Set<Waiter>();
  const holders = new Set<Waiting>();

  function hold(claimant: Claimant): Release {
    const end = order.hold(claimant);
    const holder = { claimant };
    holders.add(holder);
    return (countedMs) => {
      if (!holders.delete(holder)) return;
      end(countedMs);
      while (admitNext());
    };
  }

  function isOpenTo(claimant: Claimant): boolean {
    return holders.size < openToAll || (holders.size < max && reservedFor(claimant, holders));
  }

  function admitNext(): boolean {
    const next = order.next(
      holders.size < openToAll ? waiting : [...waiting].filter(({ claimant }) => isOpenTo(claimant)),
    );
    if (next === undefined) return false;
    waiting.delete(next);
    next.begin();
    return true;
  }

  /** @throws LineFullError if the newcomer has to go */
  function admitToLine(newcomer: Waiter): void {
    const { agentId } = newcomer.claimant;
    const ofAgent = [...waiting].filter(({ claimant }) => claimant.agentId === agentId);
    if (ofAgent.length >= waitingMax.ofAgent) throw new LineFullError();
    waiting.add(newcomer);
    if (waiting.size <= waitingMax.all) return;
    const last = lastOf(waiting, order);
    waiting.delete(last);
    if (last === newcomer) throw new LineFullError();
    last.turnAway();
  }

  return {
    take: async (claimant, signal) => {
      signal?.throwIfAborted();
      if (isOpenTo(claimant)) return hold(claimant);
      const { promise, resolve, reject } = Promise.withResolvers<Release>();
      const one: Waiter = {
        claimant,
        begin: () => resolve(hold(claimant)),
        turnAway: () => reject(new LineFullError()),
      };
      admitToLine(one);
      const leave = (reason: unknown): void => {
        if (waiting.delete(one)) reject(reason);
      };
      const onAbort = (): void => leave(signal?.reason);
      signal?.addEventListener('abort', onAbort);
      const timer =
        waitMaxMs === undefined ? undefined : setTimeout(() => leave(new LineFullError()), waitMaxMs);
      return promise.finally(() => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
      });
    },
    waiting: () => waiting.values(),
    clear: () => {
      const all = [...waiting];
      waiting.clear();
      for (const { turnAway } of all) turnAway();
    },
  };
}

/** Of the network that takes most of the line, the agent that does; of equals, the one that comes last. */
function lastOf(line: ReadonlySet<Waiter>, order: TurnOrder): Waiter {
  const fullest = (ones: readonly Waiter[], key: keyof Claimant): readonly Waiter[] => {
    const groups = Map.groupBy(ones, ({ claimant }) => claimant[key]);
    const most = Math.max(...groups.values().map((group) => group.length));
    return ones.filter(({ claimant }) => groups.get(claimant[key])?.length === most);
  };
  const ones = fullest(fullest([...line], 'network'), 'agentId').toReversed();
  const last = order.last(ones);
  if (last === undefined) throw new Error('Nobody waits in a full line.');
  return last;
}
