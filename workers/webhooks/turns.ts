/**
 * Limits the deliveries that run at once in a process, per agent and per host. Callers over the limit are
 * given times to come back, spaced out, so that they neither hold all slots nor poll.
 */

/** What a delivery is counted under, with the limit that applies. */
export interface TurnName {
  readonly name: string;
  readonly max: number;
}

export type Turn =
  | { readonly admitted: true; readonly leave: () => void }
  | { readonly admitted: false; readonly retryAfterMs: number };

export interface Turns {
  enter(names: readonly TurnName[]): Turn;
}

interface Line {
  running: number;
  /** When the last waiting caller was told to come back, by `performance.now()`. */
  lastTurnAt: number;
}

const delayMinMs = 100;
const spacingMs = 10;
const delayMaxMs = 60_000;

export function createTurns(now: () => number = () => performance.now()): Turns {
  const lines = new Map<string, Line>();
  return {
    enter: (names) => {
      const full = names.find(({ name, max }) => (lines.get(name)?.running ?? 0) >= max);
      const line = full === undefined ? undefined : lines.get(full.name);
      if (line !== undefined) {
        const present = now();
        line.lastTurnAt = Math.min(
          present + delayMaxMs,
          Math.max(present + delayMinMs, line.lastTurnAt + spacingMs),
        );
        return { admitted: false, retryAfterMs: line.lastTurnAt - present };
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
