/**
 * Decides when a target may be called on behalf of an agent. Every call takes a slot at the address (target-slots.ts).
 * Until the host agrees to the calls of the agent, they are also limited in rate (destinations.ts), over all agents and
 * processes, so that nobody can use the hub to flood somebody else's server.
 */
import type { GuardedHttp, TakeSlot } from '#runtime/guarded-http/guarded-request.ts';
import { isLoopbackAddress } from '#runtime/inbound-http/client-address.ts';
import type { Redis } from '#runtime/redis/redis.ts';
import type { Settings } from '#runtime/settings/settings.ts';
import type { Logger } from '../tracing/log.ts';
import { HostConsents } from './host-consents.ts';
import { createTargetSlots, ipOf } from './target-slots.ts';
import type { Claimant } from './turns.ts';

export interface TargetCaller extends Claimant {
  /** The identity that a host may agree to. */
  readonly did: string;
}

/** The turns of one run or probe. */
export interface CallTurns {
  readonly takeSlot: TakeSlot;
  /**
   * For the call that introduces the hub to a host.
   * @throws HostAgreed if no introduction is needed
   */
  readonly takeFirstSlot: TakeSlot;
}

/** The calls to this host are not limited in rate, so no introduction is needed. */
export class HostAgreed extends Error {
  override readonly name = 'HostAgreed';
}

export interface TurnEvents {
  /** Called when a call begins to wait for its turn at a limited host; it returns what ends the wait. */
  readonly onDelay?: () => () => void;
  /**
   * Called once for each origin that names the agent in its consent, before the first call to it. The call waits for it.
   * An A2A card may lead to other origins than that of the target.
   */
  readonly onNamed?: (origin: string) => Promise<void>;
}

export interface TargetTurns {
  takeFor(caller: TargetCaller, events?: TurnEvents): CallTurns;
  /** Stops renewing slots. */
  close(): void;
}

export interface TargetTurnsOptions {
  readonly redis: Redis;
  readonly logger: Logger;
  /** Asks hosts for their consent. */
  readonly http: GuardedHttp;
  readonly settings: Pick<Settings, 'isPublic' | 'consentedHosts'>;
}

const noDelay = () => () => undefined;

export function createTargetTurns({ redis, logger, http, settings }: TargetTurnsOptions): TargetTurns {
  const slots = createTargetSlots(redis, logger);
  const consents = new HostConsents(http);
  const exemptHosts = new Set(settings.consentedHosts);

  return {
    takeFor: ({ did, ...claimant }, { onDelay = noDelay, onNamed } = {}) => {
      const takePlace = slots.takeFor(claimant);
      const named = new Map<string, Promise<void> | undefined>();
      const noteNamed = (origin: string): Promise<void> | undefined => {
        if (!named.has(origin)) named.set(origin, onNamed?.(origin));
        return named.get(origin);
      };

      const takeBoth = slots.takeLimitedFor(claimant);
      const takeLimited: TakeSlot = async (address, signal, call) => {
        const endDelay = onDelay();
        try {
          return await takeBoth(address, signal, call);
        } finally {
          endDelay();
        }
      };

      const isLimited: (...call: Parameters<TakeSlot>) => Promise<boolean> = async (
        address,
        signal,
        call,
      ) => {
        if (exemptHosts.has(call.host)) return false;
        if (!settings.isPublic && isLoopbackAddress(ipOf(address))) return false;
        const endDelay = onDelay();
        try {
          const consent = await consents.of(did, { origin: call.origin, address }, takeLimited, signal);
          if (consent === 'named') await noteNamed(call.origin);
          return consent === null;
        } finally {
          endDelay();
        }
      };

      return {
        takeSlot: async (...call) =>
          (await isLimited(...call)) ? takeLimited(...call) : takePlace(call[0], call[1]),
        takeFirstSlot: async (...call) => {
          if (await isLimited(...call)) return takeLimited(...call);
          throw new HostAgreed();
        },
      };
    },
    close: () => slots.close(),
  };
}
