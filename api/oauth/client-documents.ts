/** Fetches the metadata documents of OAuth clients, and caches them as their headers say. */
import { DomainError } from '#domain/errors.ts';
import {
  checkDocumentId,
  invalidClient,
  type OauthClient,
  readClientDocument,
} from '#domain/oauth/client-metadata.ts';
import type { Clock } from '#runtime/clock.ts';
import type { AddressPolicy } from '#runtime/guarded-http/address-policy.ts';
import { createGuardedHttp } from '#runtime/guarded-http/guarded-request.ts';
import { keepNewest } from '#runtime/keep-newest.ts';
import type { Logger } from '#runtime/tracing/log.ts';
import type { TargetSlots } from '#runtime/turns/target-slots.ts';
import type { Claimant } from '#runtime/turns/turns.ts';
import { createReadTurns } from '../access/read-turns.ts';

export interface ClientDocuments {
  /**
   * @param claimant takes a turn to load and one at the client's address
   * @throws DomainError invalid_client; rate_limited if it gets no turn in time
   */
  get(clientId: string, claimant: Claimant): Promise<OauthClient>;
  close(): void;
}

export interface ClientDocumentsOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly addresses: AddressPolicy;
  readonly slots: Pick<TargetSlots, 'takeLimitedFor'>;
  /** Whether http is allowed on loopback. */
  readonly isPrivate: boolean;
  readonly userAgent: string;
  /** PEM certificates to trust instead of the built-in ones, for tests. */
  readonly tlsAuthorities?: readonly string[];
}

const documentMaxBytes = 64 * 1024;
const fetchTimeoutMs = 5_000;
const turnWaitMaxMs = 5_000;
const cachedMaxMs = 60 * 60 * 1_000;
const cachedDocumentsMax = 200;
const retryAfterSeconds = 5;
const jsonType = /^application\/(?:[\w.+-]+\+)?json *(?:;|$)/i;

export function createClientDocuments(options: ClientDocumentsOptions): ClientDocuments {
  const { clock, logger, addresses, slots, isPrivate, userAgent, tlsAuthorities } = options;
  const http = createGuardedHttp({
    policy: addresses,
    userAgent,
    limits: { maxBodyBytes: documentMaxBytes, answerTimeoutMs: fetchTimeoutMs, idleTimeoutMs: 0 },
    ...(tlsAuthorities === undefined ? {} : { tlsAuthorities }),
  });
  const cached = new Map<string, { readonly client: OauthClient; readonly untilMs: number }>();
  const pending = new Map<string, Promise<OauthClient>>();
  const turns = createReadTurns('loads');

  const load = async (clientId: string, claimant: Claimant): Promise<OauthClient> => {
    const outcome = await http.request({
      url: clientId,
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
    if (!outcome.ok || outcome.status !== 200) {
      logger.info(
        { host: new URL(clientId).host, fault: outcome.ok ? outcome.status : outcome.fault },
        'a client document was not loaded',
      );
      throw invalidClient(
        'The metadata document of the client could not be loaded. It must be at `client_id` itself, without a redirect, within 5 seconds and 64 KiB.',
      );
    }
    const { 'content-type': type = '', 'cache-control': cacheControl } = outcome.headers;
    if (!jsonType.test(type)) throw invalidClient('The metadata document of the client must be JSON.');
    const client = readClientDocument(clientId, new TextDecoder().decode(outcome.body));
    const keptMs = Math.min(cachedMaxMs, cachedMs(cacheControl));
    const untilMs = clock.now().getTime() + keptMs;
    if (keptMs > 0) keepNewest(cached, clientId, { client, untilMs }, cachedDocumentsMax);
    return client;
  };

  const find = (clientId: string): OauthClient | null => {
    const known = cached.get(clientId);
    if (known !== undefined && known.untilMs > clock.now().getTime()) return known.client;
    cached.delete(clientId);
    return null;
  };

  // Requests that arrive meanwhile wait for the same document. If whoever loads it gets no turn, each
  // loads it for itself.
  const loadOnce = (clientId: string, claimant: Claimant): Promise<OauthClient> => {
    const running = pending.get(clientId);
    if (running !== undefined)
      return running.catch((error: unknown) => {
        if (error instanceof DomainError && error.code === 'invalid_client') throw error;
        return load(clientId, claimant);
      });
    const loading = load(clientId, claimant).finally(() => pending.delete(clientId));
    pending.set(clientId, loading);
    return loading;
  };

  return {
    get: async (clientId, claimant) => {
      checkDocumentId(clientId, isPrivate);
      const known = find(clientId);
      if (known !== null) return known;
      const end = await turns.take(claimant);
      try {
        return find(clientId) ?? (await loadOnce(clientId, claimant));
      } finally {
        end();
      }
    },
    close: () => http.close(),
  };
}

/** How long `Cache-Control` allows a document to be used; without it, as long as the hub allows. */
function cachedMs(cacheControl: string | undefined): number {
  if (cacheControl === undefined) return cachedMaxMs;
  const directives = cacheControl
    .toLowerCase()
    .split(',')
    .map((part) => part.trim());
  if (directives.includes('no-store') || directives.includes('no-cache')) return 0;
  const seconds = directives.map((directive) => /^max-age="?(\d{1,9})"?$/.exec(directive)?.[1]).find(Boolean);
  return seconds === undefined ? cachedMaxMs : Number(seconds) * 1_000;
}
