/**
 * Decides who gets the next slot at a resource that many agents share. Networks are compared first, so that signing up
 * more agents gains nothing; then the agents within a network. At both levels, the one with the fewest slots is next,
 * then the one that has used the least slot-time. Slot-time is compared in slices, so that small differences do not
 * interrupt a run of short calls.
 */

/** The agent on whose behalf a slot is taken. */
export interface Claimant {
  /** The network the agent signed up from, hashed. */
  readonly network: string;
  readonly agentId: string;
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
    const [network, agent] = keysOf(one).map((key) => this.#slicesOf(key));
    const [otherNetwork, otherAgent] = keysOf(other).map((key) => this.#slicesOf(key));
    const [own = 0, others = 0] =
      one.network === other.network ? [agent, otherAgent] : [network, otherNetwork];
    return own < others;
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
