/**
 * The places for large bodies of one kind. There are few, because the whole body is in memory before it can be
 * checked. When all are taken, the next body gets the place of one from the network that has most of them. If networks have
 * equally many, one that has been arriving for long gives way: otherwise a few clients that send a byte now and then would
 * lock everybody out.
 */
import { DomainError } from '#domain/errors.ts';
import type { Claimant } from '#runtime/turns/turn-order.ts';
import { AbandonedBody } from './body.ts';

/** In each process. */
const placesMax = 16;
/** How many of them one agent can have. */
const placesOfAgentMax = 4;
/** After this time, in milliseconds, a body gives way. On a usual connection, several megabytes take less. */
const givesWayAfterMs = 5_000;
const retryAfterSeconds = 5;

interface Place {
  /** Null if the endpoint requires no agent. */
  readonly claimant: Claimant | null;
  readonly takenAt: number;
  readonly giveWay: () => void;
}

export interface LongBodies {
  /**
   * Reads a body in a place of its own.
   *
   * @param read stops when the signal is aborted, and then fails with its reason
   * @throws DomainError rate_limited if there is no place
   */
  read<T>(claimant: Claimant | null, read: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

/**
 * @param what as in "The hub is already receiving 16 large emails."
 * @param now in milliseconds
 */
export function createLongBodies(what: string, now = () => performance.now()): LongBodies {
  /** In the order in which they were taken. */
  const places = new Set<Place>();

  function makeRoom(claimant: Claimant | null): void {
    const own = [...places].filter(
      (place) => claimant !== null && place.claimant?.agentId === claimant.agentId,
    );
    const isOwnLimit = own.length >= placesOfAgentMax;
    if (!isOwnLimit && places.size < placesMax) return;
    const fuller = isOwnLimit ? [] : ofFullerNetwork(claimant);
    const [oldest] = fuller.length > 0 ? fuller : isOwnLimit ? own : places;
    const mayGoOn = fuller.length === 0 && oldest !== undefined && now() - oldest.takenAt < givesWayAfterMs;
    if (oldest === undefined || mayGoOn) {
      throw tooMany(
        isOwnLimit
          ? `You are already sending ${placesOfAgentMax} large ${what}.`
          : `The hub is already receiving ${placesMax} large ${what}.`,
      );
    }
    places.delete(oldest);
    oldest.giveWay();
  }

  /** The bodies of the network that has most places, if it has more than this one would have. */
  function ofFullerNetwork(claimant: Claimant | null): readonly Place[] {
    const networks = Map.groupBy(places, (place) => place.claimant?.network);
    const own = networks.get(claimant?.network)?.length ?? 0;
    const [fullest = []] = [...networks.values()].toSorted((one, other) => other.length - one.length);
    return fullest.length > own + 1 ? fullest : [];
  }

  return {
    async read(claimant, read) {
      makeRoom(claimant);
      const controller = new AbortController();
      const giveWay = () => controller.abort(gaveWay());
      const place = { claimant, takenAt: now(), giveWay };
      places.add(place);
      try {
        return await read(controller.signal);
      } finally {
        places.delete(place);
      }
    },
  };
}

function tooMany(message: string): DomainError {
  return new DomainError('rate_limited', message, {
    hint: 'Wait for the number of seconds in `Retry-After`, then send it again.',
    retryAfterSeconds,
  });
}

function gaveWay(): AbandonedBody {
  return new AbandonedBody(
    'rate_limited',
    'The body gave way to others, because it took long or your network was sending many.',
    { hint: 'Send it again without pauses.', retryAfterSeconds },
  );
}
