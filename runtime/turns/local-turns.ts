/**
 * Shares the slots of one resource within this process. Callers without a slot wait in memory. Where the line is bounded, a
 * full one turns away the caller whose network fills most of it, so that nobody can lock out the others.
 */
import { type Claimant, TurnOrder } from './turn-order.ts';

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

interface Waiting {
  readonly claimant: Claimant;
}

interface Waiter extends Waiting {
  readonly begin: () => void;
  readonly turnAway: () => void;
}

const reservedShare = 0.25;
const noLimit = { ofAgent: Infinity, all: Infinity };

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
