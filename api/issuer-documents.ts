/**
 * Loads the DID documents and status lists of other hubs, only from hosts that the operator has listed, and keeps them
 * for a while.
 */
import { type IssuerDocuments, isObject } from '#domain/credentials/verify-credential.ts';
import type { Json } from '#domain/credentials/data-integrity.ts';
import { parseJson } from '#domain/targets/read-json.ts';
import type { Clock } from '#runtime/clock.ts';
import type { AddressPolicy } from '#runtime/guarded-http/address-policy.ts';
import { createGuardedHttp } from '#runtime/guarded-http/guarded-request.ts';
import { keepNewest } from '#runtime/keep-newest.ts';
import type { Logger } from '#runtime/tracing/log.ts';
import type { TargetSlots } from '#runtime/turns/target-slots.ts';
import type { Claimant } from '#runtime/turns/turns.ts';
import { createReadTurns } from './access/read-turns.ts';

export interface IssuerDocumentsOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly addresses: AddressPolicy;
  readonly slots: Pick<TargetSlots, 'takeLimitedFor'>;
  /** Host names, without a port. */
  readonly hosts: readonly string[];
  readonly userAgent: string;
  /** PEM certificates to trust instead of the built-in ones, for tests. */
  readonly tlsAuthorities?: readonly string[];
}

const fetchTimeoutMs = 5_000;
const turnWaitMaxMs = 5_000;
const documentMaxBytes = 256 * 1024;
const keptMs = 5 * 60 * 1_000;
const keptMax = 200;

export interface LoadedIssuerDocuments {
  /** @param claimant takes a turn to load and one at the issuer's address; without a turn, the document is null */
  askedBy(claimant: Claimant): IssuerDocuments;
  close(): void;
}

export function createIssuerDocuments(options: IssuerDocumentsOptions): LoadedIssuerDocuments {
  const { clock, logger, addresses, slots, hosts, userAgent, tlsAuthorities } = options;
  const http = createGuardedHttp({
    policy: addresses,
    userAgent,
    limits: { maxBodyBytes: documentMaxBytes, answerTimeoutMs: fetchTimeoutMs, idleTimeoutMs: 0 },
    ...(tlsAuthorities === undefined ? {} : { tlsAuthorities }),
  });
  const kept = new Map<string, { readonly document: Json; readonly untilMs: number }>();
  const pending = new Map<string, Promise<Json | null>>();

  const turns = createReadTurns('loads');

  function findKept(url: string): Json | null {
    const known = kept.get(url);
    if (known !== undefined && known.untilMs > clock.now().getTime()) return known.document;
    kept.delete(url);
    return null;
  }

  async function find(url: string, claimant: Claimant): Promise<Json | null> {
    const known = findKept(url);
    if (known !== null) return known;
    const end = await turns.take(claimant).catch(() => null);
    if (end === null) return null;
    try {
      return findKept(url) ?? (await loadOnce(url, claimant));
    } finally {
      end();
    }
  }

  /** Requests that arrive meanwhile wait for the same document. */
  function loadOnce(url: string, claimant: Claimant): Promise<Json | null> {
    const running = pending.get(url);
    if (running !== undefined) return running;
    const loading = load(url, claimant).finally(() => pending.delete(url));
    pending.set(url, loading);
    return loading;
  }

  async function load(url: string, claimant: Claimant): Promise<Json | null> {
    const signal = AbortSignal.timeout(turnWaitMaxMs + fetchTimeoutMs);
    const outcome = await http.request({
      url,
      method: 'GET',
      headers: { accept: 'application/json' },
      signal,
      takeSlot: slots.takeLimitedFor(claimant),
    });
    const document = outcome.ok && outcome.status === 200 ? parseJson(outcome.body) : null;
    if (!isObject(document)) {
      const fault = outcome.ok ? `no JSON with status 200 but ${outcome.status}` : outcome.fault;
      logger.info({ host: new URL(url).host, fault }, 'a document of an issuer was not loaded');
      return null;
    }
    keepNewest(kept, url, { document, untilMs: clock.now().getTime() + keptMs }, keptMax);
    return document;
  }

  const isListed = (url: URL): boolean => url.protocol === 'https:' && hosts.includes(url.hostname);

  return {
    askedBy: (claimant) => ({
      find: async (did) => {
        const url = documentUrlOf(did);
        return url !== null && isListed(url) ? find(url.href, claimant) : null;
      },
      findStatusList: async (did, given) => {
        const [document, url] = [documentUrlOf(did), URL.parse(given)];
        const isOfIssuer = document !== null && url !== null && document.origin === url.origin;
        return isOfIssuer && isListed(url) ? find(url.href, claimant) : null;
      },
    }),
    close: () => http.close(),
  };
}

/** `did:web:host%3Aport:path`. A slash, a user or a query in it would name another document than its host shows. */
const webDid = /^did:web:([\w.-]+(?:%3A\d{1,5})?)((?::[\w-](?:[\w.-]|%[\da-f]{2})*)*)$/i;

function documentUrlOf(did: string): URL | null {
  const [, host, path = ''] = webDid.exec(did) ?? [];
  if (host === undefined) return null;
  const folder = path === '' ? '/.well-known' : path.replaceAll(':', '/');
  return URL.parse(`https://${host.replace(/%3A/i, ':')}${folder}/did.json`);
}
