/**
 * Sends probes to targets, within the limits of runs: slots are shared fairly, and few calls go concurrently to one
 * address.
 * Nothing about them is stored.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { DomainError } from '#domain/errors.ts';
import type { LoadJson } from '#domain/agents/check-agent-card.ts';
import type { PreparedProbe } from '#domain/targets/prepare-probe.ts';
import { isBeyondReach, type TargetCall, type TargetOutcome } from '#domain/targets/protocol.ts';
import { redactorOf } from '#domain/targets/redact-secrets.ts';
import { describeBusyTarget, type Probe, probeRequestsMax, runProbe } from '#domain/targets/run-probe.ts';
import { parseJson } from '#domain/targets/read-json.ts';
import { askTarget } from '#domain/targets/target-call.ts';
import { faultOf } from '#domain/targets/target-faults.ts';
import { invalidTarget } from '#domain/runs/read-order.ts';
import type { AddressPolicy } from '#runtime/guarded-http/address-policy.ts';
import {
  createGuardedHttp,
  type GuardedHttp,
  type GuardedRequest,
  type TakeSlot,
} from '#runtime/guarded-http/guarded-request.ts';
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

/** One request of a probe. */
export interface ProbeRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly protocol: string;
  /** Null if there was no response. */
  readonly status: number | null;
  readonly message: string;
}

export interface SentProbe extends Probe {
  /** In order. */
  readonly tried: readonly ProbeRequest[];
}

export interface Probes {
  /**
   * A refused or busy target does not count against the agent's limit.
   * @param over aborts when the client gives up
   * @throws DomainError rate_limited, invalid_target_url
   */
  send(probe: PreparedProbe, over: AbortSignal): Promise<SentProbe>;
  /**
   * Reads JSON at a few URLs, such as an agent card and its keys. Counts as one probe.
   * @throws DomainError rate_limited
   */
  reader(caller: PreparedProbe['caller'], over: AbortSignal): Promise<LoadJson>;
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

/** The probe has made all its requests. */
class NoRequestLeft extends Error {}

/** A card is a small file. */
const cardTimeoutMs = 5_000;
const firstPauseMs = 500;
/** A card, perhaps at a second place, and keys. */
const readsMax = 4;

interface RequestRules {
  readonly takeSlot: TakeSlot;
  readonly over: AbortSignal;
  /** For all requests together. */
  readonly timeoutMs: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** The requests of one probe, of which there are few. Polls come ever more slowly, so that they last. */
class ProbeRequests {
  readonly #http: GuardedHttp;
  readonly #rules: RequestRules;
  readonly #tried: ProbeRequest[] = [];
  #spentMs = 0;
  #pauses = 0;
  isBlocked = false;

  constructor(http: GuardedHttp, rules: RequestRules) {
    this.#http = http;
    this.#rules = rules;
  }

  get tried(): readonly ProbeRequest[] {
    return this.#tried;
  }

  /** @returns null if no request or no time is left */
  async ask(call: TargetCall): Promise<{ outcome: TargetOutcome; latencyMs: number } | null> {
    const timeoutMs = this.#rules.timeoutMs - this.#spentMs;
    if (this.#tried.length >= probeRequestsMax || timeoutMs <= 0) return null;
    const before = this.#spentMs;
    try {
      const outcome = await askTarget(
        { ...call, timeoutMs },
        {
          http: this.#http,
          send: (request) => this.#send(request, call.protocol),
          pause: () => this.#pause(),
          note: (problem) => this.#note(problem),
        },
      );
      this.#note(outcome.ok ? 'A run can use the reply.' : outcome.problem);
      if (!outcome.ok && outcome.code === 'target_blocked' && isBeyondReach(outcome)) this.isBlocked = true;
      return { outcome, latencyMs: Math.round(this.#spentMs - before) };
    } catch (error) {
      if (!(error instanceof NoRequestLeft)) throw error;
      this.#note('The task goes on after the last request of this probe. A run polls it for longer.');
      return null;
    }
  }

  async #send(request: GuardedRequest, protocol: string) {
    const { takeSlot, over, headers } = this.#rules;
    if (this.#tried.length >= probeRequestsMax) throw new NoRequestLeft();
    let startedAt = performance.now();
    const outcome = await this.#http.request({
      ...request,
      ...(request.method === 'GET' ? { answerTimeoutMs: cardTimeoutMs } : {}),
      signal: over,
      takeSlot: async (...call) => {
        const leave = await takeSlot(...call);
        startedAt = performance.now();
        return leave;
      },
    });
    this.#spentMs += performance.now() - startedAt;
    const received = outcome.ok || outcome.fault === 'bad_status' ? outcome : outcome.received;
    const status = received?.status ?? null;
    const { method } = request;
    const url = redactorOf(headers)(request.url);
    this.#tried.push({ method, url, protocol, status, message: 'A response arrived.' });
    return { ...outcome, attempts: 1 };
  }

  async #pause(): Promise<number> {
    const ms = firstPauseMs * 2 ** this.#pauses;
    this.#pauses += 1;
    await sleep(ms, undefined, { signal: this.#rules.over }).catch(() => undefined);
    this.#spentMs += ms;
    return ms;
  }

  #note(message: string): void {
    const last = this.#tried.pop();
    if (last !== undefined) this.#tried.push({ ...last, message });
  }
}

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
      const takeSlot: TakeSlot = async (address, signal, slotCall) => {
        const enough = AbortSignal.timeout(placeWaitMs);
        const patience = signal === undefined ? enough : AbortSignal.any([signal, enough]);
        return turns
          .takeFor(caller)
          .takeSlot(address, patience, slotCall)
          .catch((cause: unknown) => {
            throw new NoPlace('No slot at the address.', { cause });
          });
      };
      const timeoutMs = Math.min(call.timeoutMs ?? settings.evalCallTimeoutMs, replyTimeoutMaxMs);
      const requests = new ProbeRequests(http, { takeSlot, over, timeoutMs, headers: call.headers });
      try {
        const described = await runProbe(probe, (asked) => requests.ask(asked));
        const { tried } = requests;
        if (requests.isBlocked) {
          if (tried.every(({ status }) => status === null)) await giveBack();
          throw invalidTarget(
            '`target.url` cannot be used: its host name has an address that this hub does not call.',
          );
        }
        return { ...described, tried };
      } catch (error) {
        if (!(error instanceof NoPlace)) throw error;
        if (requests.tried.length === 0) await giveBack();
        return { ...describeBusyTarget(probe), tried: requests.tried };
      }
    },
    reader: async (caller, over) => {
      await limiter.consume(caller.agentId).catch(refuse);
      let left = readsMax;
      return async (url) => {
        left -= 1;
        if (left < 0) return { problem: 'It needs too many documents.' };
        const outcome = await http.request({
          url,
          method: 'GET',
          headers: { accept: 'application/json' },
          signal: AbortSignal.any([over, AbortSignal.timeout(placeWaitMs)]),
          answerTimeoutMs: cardTimeoutMs,
          takeSlot: (...call) => turns.takeFor(caller).takeSlot(...call),
        });
        if (!outcome.ok) return { problem: faultOf(outcome, 'an agent card', (text) => text).problem };
        const value = parseJson(outcome.body);
        return value === null ? { problem: `${url} does not return JSON.` } : { value };
      };
    },
    close: () => {
      turns.close();
      http.close();
    },
  };
}

function refuse(rejected: unknown): never {
  if (!(rejected instanceof RateLimiterRes)) throw rejected;
  throw new DomainError('rate_limited', `You have sent ${probesPerHourMax} probes in the last hour.`, {
    hint: 'Wait for the number of seconds in `Retry-After`. A run that fails also says what went wrong, and is refunded.',
    retryAfterSeconds: rejected.msBeforeNext / 1_000,
  });
}
