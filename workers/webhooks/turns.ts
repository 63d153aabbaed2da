/**
 * Limits the deliveries that run concurrently in a process: in all, per agent and per host. The last quarter of the
 * slots is reserved for agents and networks whose receivers have not been slow lately. Callers over a limit are told when to
 * come back, at spaced-out times, so that they neither hold all slots nor poll.
 */

import { type Claimant, TurnOrder } from '#runtime/turns/turns.ts';

/** What a delivery is counted under, with the limit that applies. */
export interface TurnName {
  readonly name: string;
  readonly max: number;
}

export type Turn =
  | { readonly admitted: true; readonly leave: () => void }
  | { readonly admitted: false; readonly retryAfterMs: number };

export interface Turns {
  enter(claimant: Claimant, names: readonly TurnName[]): Turn;
}

interface Line {
  running: number;
  /** When the last waiting caller was told to come back, by `performance.now()`. */
  lastTurnAt: number;
  /** When a caller was first refused after the last slot became free; null if none was. */
  fullSince: number | null;
}

const delayMinMs = 100;
const spacingMs = 10;
const delayMaxMs = 60_000;
/**
 * Callers wait about as long as their line has been full, up to this time, so that a line that hangs is rarely retried.
 */
const fullDelayMaxMs = 5_000;

/**
 * This share of the slots is reserved for agents and networks that have used little slot-time lately, or whose
 * receivers respond quickly.
 */
const shareForNew = 0.25;

export function createTurns(max: number, now: () => number = () => performance.now()): Turns {
  const lines = new Map<string, Line>();
  const order = new TurnOrder(now);
  const openToAll = max - Math.floor(max * shareForNew);
  const everybody: Line = { running: 0, lastTurnAt: 0, fullSince: null };
  return {
    enter: (claimant, names) => {
      const full = names.find((one) => (lines.get(one.name)?.running ?? 0) >= one.max);
      const isFull =
        everybody.running >= (order.isNew(claimant) || order.isQuick(claimant) ? max : openToAll);
      const line = isFull ? everybody : lines.get(full?.name ?? '');
      if (line !== undefined) {
        const present = now();
        line.fullSince ??= present;
        const fullForMs = Math.min(fullDelayMaxMs, present - line.fullSince);
        line.lastTurnAt = Math.min(
          present + delayMaxMs,
          Math.max(present + delayMinMs, present + fullForMs, line.lastTurnAt + spacingMs),
        );
        return { admitted: false, retryAfterMs: line.lastTurnAt - present };
      }
      for (const { name } of names) join(lines, name);
      everybody.running += 1;
      const end = order.hold(claimant);
      return {
        admitted: true,
        leave: () => {
          names.forEach(({ name }) => leave(lines, name));
          everybody.running -= 1;
          everybody.fullSince = null;
          end();
        },
      };
    },
  };
}

function join(lines: Map<string, Line>, name: string): void {
  const line = lines.get(name) ?? { running: 0, lastTurnAt: 0, fullSince: null };
  line.running += 1;
  lines.set(name, line);
}

function leave(lines: Map<string, Line>, name: string): void {
  const line = lines.get(name);
  if (line === undefined) return;
  line.running -= 1;
  line.fullSince = null;
  if (line.running === 0) lines.delete(name);
}
