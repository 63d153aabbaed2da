/**
 * The places for large bodies of an endpoint. There are few, because the whole body is in memory before it can be
 * checked. When all are taken, a body that has been arriving for long gives way to the next one: otherwise a few clients
 * that send a byte now and then would lock everybody out.
 */
import { DomainError } from '#domain/errors.ts';
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
  readonly agentId: string | null;
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
  read<T>(agentId: string | null, read: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

/**
 * @param what as in "The hub is already receiving 16 large emails."
 * @param now in milliseconds
 */
export function createLongBodies(what: string, now = () => performance.now()): LongBodies {
  /** In the order in which they were taken. */
  const places = new Set<Place>();

  function makeRoom(agentId: string | null): void {
    const own = [...places].filter((place) => agentId !== null && place.agentId === agentId);
    const isOwnLimit = own.length >= placesOfAgentMax;
    if (!isOwnLimit && places.size < placesMax) return;
    const [oldest] = isOwnLimit ? own : places;
    if (oldest === undefined || now() - oldest.takenAt < givesWayAfterMs) {
      throw tooMany(
        isOwnLimit
          ? `You are already sending ${placesOfAgentMax} large ${what}.`
          : `The hub is already receiving ${placesMax} large ${what}.`,
      );
    }
    places.delete(oldest);
    oldest.giveWay();
  }

  return {
    async read(agentId, read) {
      makeRoom(agentId);
      const controller = new AbortController();
      const giveWay = () => controller.abort(gaveWay());
      const place = { agentId, takenAt: now(), giveWay };
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
    `The body was still incomplete after ${givesWayAfterMs / 1_000} seconds, and others were waiting.`,
    { hint: 'Send it again without pauses.', retryAfterSeconds },
  );
}
