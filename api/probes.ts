/**
 * Sends probes to targets, within the limits of runs: slots are shared fairly, and few calls go to one address at once.
 * Nothing about them is stored.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { DomainError } from '#domain/errors.ts';
import {
  describeBusyTarget,
  describeProbe,
  type PreparedProbe,
  type Probe,
  proposeTarget,
} from '#domain/targets/prepare-probe.ts';
import type { TargetCall } from '#domain/targets/protocol.ts';
import { askTarget, fullUrlOf } from '#domain/targets/target-call.ts';
import { invalidTarget } from '#domain/runs/read-target.ts';
import type { AddressPolicy } from '#runtime/guarded-http/address-policy.ts';
import { createGuardedHttp, type TakeSlot } from '#runtime/guarded-http/guarded-request.ts';
import type { Logger } from '#runtime/tracing/log.ts';
import type { Redis } from '#runtime/redis/redis.ts';
import type { Settings } from '#runtime/settings/settings.ts';
import { userAgentOf } from '#runtime/guarded-http/user-agent.ts';
import { createTargetTurns } from '#runtime/turns/target-turns.ts';
import { createSharedLimiter, defaultRateLimitTimeoutMs } from './access/shared-limiter.ts';

export const probesPerHourMax = 20;
const hourSeconds = 3_600;
/** Connections are idle while the target thinks; the hub closes them after a minute. */
const replyTimeoutMaxMs = 40_000;
const defaultPlaceWaitMs = 8_000;

export interface Probes {
  /**
   * A refused or busy target does not count against the agent's limit.
   * @param over aborts when the client gives up
   * @throws DomainError probe_rate_limited, invalid_target_url
   */
  send(probe: PreparedProbe, over: AbortSignal): Promise<Probe>;
  close(): void;
}

export interface ProbesOptions {
  readonly redis: Redis;
  readonly logger: Logger;
  readonly settings: Pick<Settings, 'evalCallTimeoutMs' | 'isPublic' | 'consentedHosts' | 'baseUrl'>;
  readonly targetAddresses: AddressPolicy;
  /** How long a probe waits for a slot. */
  readonly placeWaitMs?: number;
}

/** No slot at the address became free in time. */
class NoPlace extends Error {}

export function createProbes(options: ProbesOptions): Probes {
  const { redis, logger, settings, targetAddresses, placeWaitMs = defaultPlaceWaitMs } = options;
  const http = createGuardedHttp({ policy: targetAddresses, userAgent: userAgentOf(settings) });
  const turns = createTargetTurns({ redis, logger, http, settings });
  const limits = { points: probesPerHourMax, duration: hourSeconds };
  const limiter = createSharedLimiter({
    redis,
    kind: 'probes',
    timeoutMs: defaultRateLimitTimeoutMs,
    ...limits,
    local: new RateLimiterMemory(limits),
  });
  return {
    send: async (probe, over) => {
      const { call, caller } = probe;
      await limiter.consume(caller.agentId).catch(refuse);
      const giveBack = () => limiter.reward(caller.agentId).catch(() => undefined);
      let startedAt = performance.now();
      const takeSlot: TakeSlot = async (address, signal, slotCall) => {
        const enough = AbortSignal.timeout(placeWaitMs);
        const patience = signal === undefined ? enough : AbortSignal.any([signal, enough]);
        const leave = await turns
          .takeFor(caller)
          .takeSlot(address, patience, slotCall)
          .catch((cause: unknown) => {
            throw new NoPlace('No slot at the address.', { cause });
          });
        startedAt = performance.now();
        return leave;
      };
      const timeoutMs = Math.min(call.timeoutMs ?? settings.evalCallTimeoutMs, replyTimeoutMaxMs);
      const ask = (called: TargetCall) =>
        askTarget(
          { ...called, timeoutMs },
          {
            http,
            send: async (request) => ({
              ...(await http.request({ ...request, signal: over, takeSlot })),
              attempts: 1,
            }),
            pause: (ms) => sleep(ms, undefined, { signal: over }).catch(() => undefined),
          },
        );
      try {
        const read = await ask(call);
        if (!read.ok && read.code === 'target_blocked') {
          await giveBack();
          throw invalidTarget(
            '`target.url` cannot be used: its host name has an address that this hub does not call.',
          );
        }
        const latencyMs = Math.round(performance.now() - startedAt);
        const described = describeProbe(probe, read, latencyMs);
        const url = fullUrlOf(call);
        if (read.ok || read.cause.status === null || url === null) return described;
        const longer = { ...call, url, idempotencyKey: `${call.idempotencyKey}-2` };
        return (await ask(longer)).ok ? proposeTarget(described, longer) : described;
      } catch (error) {
        if (!(error instanceof NoPlace)) throw error;
        await giveBack();
        return describeBusyTarget(probe);
      }
    },
    close: () => {
      turns.close();
      http.close();
    },
  };
}

function refuse(rejected: unknown): never {
  if (!(rejected instanceof RateLimiterRes)) throw rejected;
  throw new DomainError('probe_rate_limited', `You have sent ${probesPerHourMax} probes in the last hour.`, {
    hint: 'Wait for the number of seconds in `Retry-After`. A run that fails also says what went wrong, and is refunded.',
    retryAfterSeconds: rejected.msBeforeNext / 1_000,
  });
}
