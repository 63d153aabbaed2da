/**
 * Shares the slots of one resource within this process. Callers without a slot wait in memory. Where the line is bounded, a
 * full one turns away the caller whose network fills most of it, so that nobody can lock out the others.
 */
import { type Claimant, TurnOrder } from './turn-order.ts';

/** The line is full, of this agent or of all. */
export class LineFullError extends Error {
  override readonly name: string = 'LineFullError';
}

export interface LocalTurns {
  /**
   * @param room how much of the line the caller takes while it waits
   * @returns a function that releases the slot
   * @throws LineFullError at once, or later when callers that come first need the room; the reason of the signal if it
   *   fires first
   */
  take(claimant: Claimant, signal?: AbortSignal, room?: number): Promise<() => void>;
  /** Those that wait for a slot. */
  waiting(): Iterable<Waiting>;
  /** Turns everybody away who waits. */
  clear(): void;
}

export interface LocalTurnsOptions {
  readonly max: number;
  /** The slots among them for agents and networks that have used little slot-time lately; a quarter by default. */
  readonly reserved?: number;
  /** In the unit of `room`. No limit by default. */
  readonly waitingMax?: { readonly ofAgent: number; readonly all: number };
  /** Where several resources share one, each counts what its claimants use of the others. */
  readonly order?: TurnOrder;
}

interface Waiting {
  readonly claimant: Claimant;
}

interface Waiter extends Waiting {
  readonly room: number;
  readonly begin: () => void;
  readonly turnAway: () => void;
}

const shareForNew = 0.25;
const noLimit = { ofAgent: Infinity, all: Infinity };

export function createLocalTurns({
  max,
  reserved = Math.floor(max * shareForNew),
  waitingMax = noLimit,
  order = new TurnOrder(),
}: LocalTurnsOptions): LocalTurns {
  const openToAll = max - reserved;
  const waiting = new Set<Waiter>();
  let held = 0;

  function hold(claimant: Claimant): () => void {
    const end = order.hold(claimant);
    held += 1;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      end();
      held -= 1;
      admitNext();
    };
  }

  function isOpenTo(claimant: Claimant): boolean {
    return held < openToAll || (held < max && order.isNew(claimant));
  }

  function admitNext(): void {
    const next = order.next(
      held < openToAll ? waiting : [...waiting].filter(({ claimant }) => isOpenTo(claimant)),
    );
    if (next === undefined) return;
    waiting.delete(next);
    next.begin();
  }

  const roomOf = (key: keyof Claimant, of: string): number =>
    waiting.values().reduce((sum, { claimant, room }) => (claimant[key] === of ? sum + room : sum), 0);

  /** @throws LineFullError if the newcomer has to give way itself */
  function makeRoomFor(newcomer: Waiter): void {
    const { claimant, room } = newcomer;
    if (roomOf('agentId', claimant.agentId) + room > waitingMax.ofAgent) throw new LineFullError();
    if (room > waitingMax.all) throw new LineFullError();
    waiting.add(newcomer);
    let all = waiting.values().reduce((sum, one) => sum + one.room, 0);
    while (all > waitingMax.all) {
      const last = lastInLine();
      waiting.delete(last);
      if (last === newcomer) throw new LineFullError();
      all -= last.room;
      last.turnAway();
    }
  }

  /** Of the network that takes most of the line, the agent that does; of equals, the one that comes last. */
  function lastInLine(): Waiter {
    const fullest = (ones: readonly Waiter[], key: keyof Claimant): readonly Waiter[] => {
      const rooms = new Map<string, number>();
      for (const { claimant, room } of ones) rooms.set(claimant[key], (rooms.get(claimant[key]) ?? 0) + room);
      const most = Math.max(...rooms.values());
      return ones.filter(({ claimant }) => rooms.get(claimant[key]) === most);
    };
    const ones = fullest(fullest([...waiting], 'network'), 'agentId').toReversed();
    const last = order.last(ones);
    if (last === undefined) throw new Error('Nobody waits in a full line.');
    return last;
  }

  return {
    take: async (claimant, signal, room = 1) => {
      signal?.throwIfAborted();
      if (isOpenTo(claimant)) return hold(claimant);
      const { promise, resolve, reject } = Promise.withResolvers<() => void>();
      const onAbort = (): void => {
        waiting.delete(one);
        reject(signal?.reason);
      };
      const one: Waiter = {
        claimant,
        room,
        begin: () => {
          signal?.removeEventListener('abort', onAbort);
          resolve(hold(claimant));
        },
        turnAway: () => {
          signal?.removeEventListener('abort', onAbort);
          reject(new LineFullError());
        },
      };
      makeRoomFor(one);
      signal?.addEventListener('abort', onAbort, { once: true });
      return promise;
    },
    waiting: () => waiting,
    clear: () => {
      const all = [...waiting];
      waiting.clear();
      for (const { turnAway } of all) turnAway();
    },
  };
}
