/**
 * Lets only so many deliveries for one agent, and to one host, run at once in a process. Who has to wait is given a time
 * to come back, each a little after the one before, so that a crowd neither holds all places nor asks all the time.
 */

/** A name that takes part in a turn, with how many may run under it. */
export interface TurnName {
  readonly name: string;
  readonly max: number;
}

export type Turn =
  | { readonly admitted: true; readonly leave: () => void }
  | { readonly admitted: false; readonly comeBackMs: number };

export interface Turns {
  enter(names: readonly TurnName[]): Turn;
}

interface Line {
  running: number;
  /** When the last of those who wait was told to come back, by `performance.now()`. */
  lastTurnAt: number;
}

const soonestMs = 100;
const apartMs = 10;
const latestMs = 60_000;

export function createTurns(now: () => number = () => performance.now()): Turns {
  const lines = new Map<string, Line>();
  return {
    enter: (names) => {
      const full = names.find(({ name, max }) => (lines.get(name)?.running ?? 0) >= max);
      const line = full === undefined ? undefined : lines.get(full.name);
      if (line !== undefined) {
        const present = now();
        line.lastTurnAt = Math.min(
          present + latestMs,
          Math.max(present + soonestMs, line.lastTurnAt + apartMs),
        );
        return { admitted: false, comeBackMs: line.lastTurnAt - present };
      }
      for (const { name } of names) join(lines, name);
      return { admitted: true, leave: () => names.forEach(({ name }) => leave(lines, name)) };
    },
  };
}

function join(lines: Map<string, Line>, name: string): void {
  const line = lines.get(name) ?? { running: 0, lastTurnAt: 0 };
  line.running += 1;
  lines.set(name, line);
}

function leave(lines: Map<string, Line>, name: string): void {
  const line = lines.get(name);
  if (line === undefined) return;
  line.running -= 1;
  if (line.running === 0) lines.delete(name);
}
