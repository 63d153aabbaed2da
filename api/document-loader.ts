/**
 * Loads documents from servers that strangers name: few at a time, in turns, once for all that ask meanwhile, and kept for
 * a while.
 */
import { DomainError } from '#domain/errors.ts';
import type { Clock } from '#runtime/clock.ts';
import type { AddressPolicy } from '#runtime/guarded-http/address-policy.ts';
import { createGuardedHttp } from '#runtime/guarded-http/guarded-request.ts';
import type { GuardedOutcome } from '#runtime/guarded-http/outcome.ts';
import { keepNewest } from '#runtime/keep-newest.ts';
import type { Logger } from '#runtime/tracing/log.ts';
import type { TargetSlots } from '#runtime/turns/target-slots.ts';
import type { Claimant } from '#runtime/turns/turns.ts';
import { createReadTurns } from './access/read-turns.ts';

export interface DocumentLoaderOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly addresses: AddressPolicy;
  readonly slots: Pick<TargetSlots, 'takeLimitedFor'>;
  readonly userAgent: string;
  /** PEM certificates to trust instead of the built-in ones, for tests. */
  readonly tlsAuthorities?: readonly string[];
}

interface DocumentRules<Document> {
  readonly maxBytes: number;
  /** Reads what the server responded, and says how long it is kept. What it throws is for all that asked. */
  readonly read: (
    url: string,
    outcome: GuardedOutcome,
  ) => { readonly document: Document; readonly keptMs: number };
}

export interface DocumentLoader<Document> {
  /**
   * @param claimant takes a turn to load and one at the server's address
   * @throws DomainError rate_limited if it gets no turn in time
   */
  get(url: string, claimant: Claimant): Promise<Document>;
  close(): void;
}

const fetchTimeoutMs = 5_000;
const turnWaitMaxMs = 5_000;
const keptMax = 200;
const retryAfterSeconds = 5;

export function createDocumentLoader<Document>(
  { clock, addresses, slots, userAgent, tlsAuthorities }: DocumentLoaderOptions,
  { maxBytes, read }: DocumentRules<Document>,
): DocumentLoader<Document> {
  const http = createGuardedHttp({
    policy: addresses,
    userAgent,
    limits: { maxBodyBytes: maxBytes, answerTimeoutMs: fetchTimeoutMs, idleTimeoutMs: 0 },
    ...(tlsAuthorities === undefined ? {} : { tlsAuthorities }),
  });
  const kept = new Map<string, { readonly document: Document; readonly untilMs: number }>();
  const pending = new Map<string, Promise<Document>>();
  const turns = createReadTurns('loads');

  const load = async (url: string, claimant: Claimant): Promise<Document> => {
    const outcome = await http.request({
      url,
      method: 'GET',
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(turnWaitMaxMs + fetchTimeoutMs),
      takeSlot: slots.takeLimitedFor(claimant),
    });
    if (!outcome.ok && outcome.fault === 'aborted')
      throw new DomainError('rate_limited', 'The hub is already loading many documents from this host.', {
        hint: 'Wait for the number of seconds in `Retry-After`, then try again.',
        retryAfterSeconds,
      });
    const { document, keptMs } = read(url, outcome);
    if (keptMs > 0) keepNewest(kept, url, { document, untilMs: clock.now().getTime() + keptMs }, keptMax);
    return document;
  };

  const findKept = (url: string) => {
    const known = kept.get(url);
    if (known !== undefined && known.untilMs > clock.now().getTime()) return known;
    kept.delete(url);
    return null;
  };

  // Requests that arrive meanwhile wait for the same document. If whoever loads it gets no turn, each
  // loads it for itself.
  const loadOnce = (url: string, claimant: Claimant): Promise<Document> => {
    const running = pending.get(url);
    if (running !== undefined)
      return running.catch((error: unknown) => {
        if (error instanceof DomainError && error.code !== 'rate_limited') throw error;
        return load(url, claimant);
      });
    const loading = load(url, claimant).finally(() => pending.delete(url));
    pending.set(url, loading);
    return loading;
  };

  return {
    get: async (url, claimant) => {
      const known = findKept(url);
      if (known !== null) return known.document;
      const end = await turns.take(claimant);
      try {
        return findKept(url)?.document ?? (await loadOnce(url, claimant));
      } finally {
        end();
      }
    },
    close: () => http.close(),
  };
}
