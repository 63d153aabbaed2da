/**
 * A line in which agents take turns by the time that they have used: next is an agent that has used the least since it
 * joined. So an agent whose work is slow, or that asks for much, delays itself and not the others. Agents that have
 * caught up are forgotten.
 */

interface Lane<T> {
  readonly waiting: T[];
  /** The virtual time of the agent: where it joined, plus the time that it has used. */
  at: number;
}

export class FairLine<T> {
  readonly #lanes = new Map<string, Lane<T>>();
  /** The virtual time of the lane that was last served. */
  #now = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  countOf(agent: string): number {
    return this.#lanes.get(agent)?.waiting.length ?? 0;
  }

  join(agent: string, one: T): void {
    const lane = this.#laneOf(agent);
    lane.at = Math.max(lane.at, this.#now);
    lane.waiting.push(one);
    this.#size += 1;
  }

  /** Takes the next out of the line. */
  take(): T | undefined {
    let next: Lane<T> | undefined;
    for (const lane of this.#lanes.values())
      if (lane.waiting.length > 0 && (next === undefined || lane.at < next.at)) next = lane;
    if (next === undefined) return undefined;
    this.#now = next.at;
    this.#size -= 1;
    return next.waiting.shift();
  }

  /** Counts time that the work of an agent took. */
  charge(agent: string, ms: number): void {
    this.#laneOf(agent).at += ms;
    for (const [name, { waiting, at }] of this.#lanes)
      if (waiting.length === 0 && at <= this.#now) this.#lanes.delete(name);
  }

  /** Empties the line. */
  clear(): readonly T[] {
    const all = [...this.#lanes.values()].flatMap(({ waiting }) => waiting);
    this.#lanes.clear();
    this.#size = 0;
    return all;
  }

  #laneOf(agent: string): Lane<T> {
    const known = this.#lanes.get(agent);
    if (known !== undefined) return known;
    const lane = { waiting: [], at: this.#now };
    this.#lanes.set(agent, lane);
    return lane;
  }
}
