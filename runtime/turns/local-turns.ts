/**
 * Shares the slots of one resource within this process. Callers without a slot wait in memory. Where the line is bounded, a
 * full one turns away the caller whose network fills most of it, so that nobody can lock out the others.
 */
import { type Claimant, TurnOrder } from './turn-order.ts';

/** The line is full, of this agent or of all. */
export class LineFullError extends Error {
  override readonly name: string = 'LineFullError';
}

export type Release = (countedMs?: number) => void;

export interface LocalTurns {
  /**
   * @param room how much of the line the caller takes while it waits
   * @returns a function that releases the slot; see `TurnOrder.hold`
   * @throws LineFullError at once, or later when callers that come first need the room; the reason of the signal if it
   *   fires first
   */
  take(claimant: Claimant, signal?: AbortSignal, room?: number): Promise<Release>;
  /**
   * For callers that prepare what they would wait with.
   *
   * @throws LineFullError if `take` would turn the caller away now
   */
  requireRoom(claimant: Claimant, room: number): void;
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
  /** In the unit of `room`. No limit by default. */
  readonly waitingMax?: { readonly ofAgent: number; readonly all: number };
  /** Where several resources share one, each counts what its claimants use of the others. */
  readonly order?: TurnOrder;
}

interface Waiting {
  readonly claimant: Claimant;
}

interface WaitingInRoom extends Waiting {
  readonly room: number;
}

interface Waiter extends WaitingInRoom {
  readonly begin: () => void;
  readonly turnAway: () => void;
}

const reservedShare = 0.25;
const noLimit = { ofAgent: Infinity, all: Infinity };

export function createLocalTurns({
  max,
  reserved = Math.floor(max * reservedShare),
  waitingMax = noLimit,
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

  const roomOf = (key: keyof Claimant, of: string): number =>
    waiting.values().reduce((sum, { claimant, room }) => (claimant[key] === of ? sum + room : sum), 0);

  /**
   * @returns those that have to give way to the newcomer
   * @throws LineFullError if it is the newcomer itself
   */
  function inTheWayOf(newcomer: WaitingInRoom): ReadonlySet<WaitingInRoom> {
    const { claimant, room } = newcomer;
    if (roomOf('agentId', claimant.agentId) + room > waitingMax.ofAgent) throw new LineFullError();
    if (room > waitingMax.all) throw new LineFullError();
    const staying = new Set<WaitingInRoom>(waiting).add(newcomer);
    let all = staying.values().reduce((sum, one) => sum + one.room, 0);
    while (all > waitingMax.all) {
      const last = lastOf(staying, order);
      if (last === newcomer) throw new LineFullError();
      staying.delete(last);
      all -= last.room;
    }
    return new Set<WaitingInRoom>(waiting).difference(staying);
  }

  function makeRoomFor(newcomer: Waiter): void {
    const leaving = inTheWayOf(newcomer);
    for (const one of waiting) {
      if (!leaving.has(one)) continue;
      waiting.delete(one);
      one.turnAway();
    }
    waiting.add(newcomer);
  }

  return {
    take: async (claimant, signal, room = 1) => {
      signal?.throwIfAborted();
      if (isOpenTo(claimant)) return hold(claimant);
      const { promise, resolve, reject } = Promise.withResolvers<Release>();
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
    requireRoom: (claimant, room) => {
      if (!isOpenTo(claimant)) inTheWayOf({ claimant, room });
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
function lastOf(line: ReadonlySet<WaitingInRoom>, order: TurnOrder): WaitingInRoom {
  const fullest = (ones: readonly WaitingInRoom[], key: keyof Claimant): readonly WaitingInRoom[] => {
    const rooms = new Map<string, number>();
    for (const { claimant, room } of ones) rooms.set(claimant[key], (rooms.get(claimant[key]) ?? 0) + room);
    const most = Math.max(...rooms.values());
    return ones.filter(({ claimant }) => rooms.get(claimant[key]) === most);
  };
  const ones = fullest(fullest([...line], 'network'), 'agentId').toReversed();
  const last = order.last(ones);
  if (last === undefined) throw new Error('Nobody waits in a full line.');
  return last;
}
