/**
 * Searches, pages that are made, large bodies, downloads, and documents of other servers take turns in each process, by
 * network, then agent. SQLite does one search at a time, and each may take its whole time; a page of long texts takes as
 * much processor time, and megabytes of memory. A large body waits unread, outside the hub, and keeps its turn until its
 * request has been handled; a download keeps it until its end. If their client is slow, both give it to others that
 * wait and hold fewer. Another server may let each load take its whole time. A quarter of the turns is for networks that
 * hold none.
 */
import {
  type Claimant,
  claimantOf,
  createLocalTurns,
  LineFullError,
  networkOfAgent,
  type Release,
  TurnOrder,
} from '#runtime/turns/turns.ts';
import type { ActingAgent } from '#domain/context.ts';
import { DomainError } from '#domain/errors.ts';
import { hashNetwork } from '#runtime/inbound-http/client-address.ts';

/** Who has used less by this much lately comes first. */
const rankMs = 100;
const waitingMax = { ofAgent: 16, all: 64 } as const;
const retryAfterSeconds = 2;
const keptMs = 5_000;

const kinds = {
  searches: {
    code: 'search_timeout',
    message: 'Too many searches are waiting.',
    hint: 'Send one search at a time, and repeat this one.',
    atOnceMax: 4,
    waitMaxMs: 5_000,
  },
  pages: {
    code: 'busy',
    message: 'Too many pages are waiting to be made.',
    hint: 'Open one page at a time, and repeat this request.',
    atOnceMax: 4,
    waitMaxMs: 5_000,
  },
  downloads: {
    code: 'busy',
    message: 'Too many exports and reports are being downloaded.',
    hint: 'Download one at a time, read it to its end, and repeat this request.',
    // Each has a part of its document in memory.
    atOnceMax: 16,
    waitMaxMs: 5_000,
  },
  documents: {
    code: 'busy',
    message: 'Too many large documents are waiting.',
    hint: 'Send one document at a time, and repeat this request.',
    atOnceMax: 4,
    waitMaxMs: 30_000,
  },
  emails: {
    code: 'rate_limited',
    message: 'Too many large emails are waiting.',
    hint: 'Send one email at a time, and repeat this request.',
    atOnceMax: 4,
    waitMaxMs: 30_000,
  },
  loads: {
    code: 'rate_limited',
    message: 'The hub is already loading many documents from other servers.',
    hint: 'Wait for the number of seconds in `Retry-After`, then try again.',
    atOnceMax: 16,
    waitMaxMs: 5_000,
  },
} as const;

/** A turn that lasts as long as a client sends or reads. */
export interface HeldTurn {
  /** After this time, a slow client gives it to others that wait. On a usual connection, less is needed. */
  readonly keptMs: number;
  /** Whether the same agent waits, or one whose network, or which within the same network, holds fewer turns. */
  isWaitedFor(): boolean;
}

export type TakenTurn = Release & HeldTurn;

export interface ReadTurns {
  /**
   * @param signal aborts when the caller no longer waits
   * @returns a function that ends the turn
   * @throws DomainError search_timeout, busy, rate_limited
   */
  take(claimant: Claimant, signal?: AbortSignal): Promise<TakenTurn>;
}

export function createReadTurns(of: keyof typeof kinds): ReadTurns {
  const { code, message, hint, atOnceMax, waitMaxMs } = kinds[of];
  const order = new TurnOrder(undefined, { rankMs });
  const turns = createLocalTurns({
    max: atOnceMax,
    reservedFor: ({ network }, holders) =>
      holders.values().every((holder) => holder.claimant.network !== network),
    waitingMax,
    waitMaxMs,
    order,
  });
  return {
    take: async (claimant, signal) => {
      try {
        const isWaitedFor = () =>
          turns
            .waiting()
            .some(
              ({ claimant: other }) =>
                other.agentId === claimant.agentId || order.holdsFewer(other, claimant),
            );
        return Object.assign(await turns.take(claimant, signal), { keptMs, isWaitedFor });
      } catch (error) {
        if (!(error instanceof LineFullError) && signal?.aborted !== true) throw error;
        throw new DomainError(code, message, { hint, retryAfterSeconds, cause: error });
      }
    },
  };
}

/** @param agent null for a caller without one, whose network takes the turn */
export function claimantOfCaller(
  secretKey: string,
  clientAddress: string,
  agent: ActingAgent | null,
): Claimant {
  if (agent !== null) return claimantOf(agent);
  const network = networkOfAgent(hashNetwork(secretKey, clientAddress), '');
  return { network, agentId: network };
}
