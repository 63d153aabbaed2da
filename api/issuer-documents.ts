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
const fetchesAtOnceMax = 16;
/** Not the agent that asks, because what is loaded is kept for all. */
const everybody = { network: 'issuers', agentId: 'issuers' };

export function createIssuerDocuments(options: IssuerDocumentsOptions): IssuerDocuments & { close(): void } {
  const { clock, logger, addresses, slots, hosts, userAgent, tlsAuthorities } = options;
  const http = createGuardedHttp({
    policy: addresses,
    userAgent,
    limits: { maxBodyBytes: documentMaxBytes, answerTimeoutMs: fetchTimeoutMs, idleTimeoutMs: 0 },
    ...(tlsAuthorities === undefined ? {} : { tlsAuthorities }),
  });
  const kept = new Map<string, { readonly document: Json; readonly untilMs: number }>();
  const pending = new Map<string, Promise<Json | null>>();

  async function find(url: string): Promise<Json | null> {
    const known = kept.get(url);
    if (known !== undefined && known.untilMs > clock.now().getTime()) return known.document;
    kept.delete(url);
    // Requests that arrive meanwhile wait for the same document.
    const running = pending.get(url);
    if (running !== undefined) return running;
    if (pending.size >= fetchesAtOnceMax) return null;
    const loading = load(url).finally(() => pending.delete(url));
    pending.set(url, loading);
    return loading;
  }

  async function load(url: string): Promise<Json | null> {
    const signal = AbortSignal.timeout(turnWaitMaxMs + fetchTimeoutMs);
    const outcome = await http.request({
      url,
      method: 'GET',
      headers: { accept: 'application/json' },
      signal,
      takeSlot: slots.takeLimitedFor(everybody),
    });
    const document = outcome.ok && outcome.status === 200 ? parseJson(outcome.body) : null;
    if (!isObject(document)) {
      const fault = outcome.ok ? `no JSON with status 200 but ${outcome.status}` : outcome.fault;
      logger.info({ url, fault }, 'a document of an issuer was not loaded');
      return null;
    }
    keepNewest(kept, url, { document, untilMs: clock.now().getTime() + keptMs }, keptMax);
    return document;
  }

  const isListed = (url: URL): boolean => url.protocol === 'https:' && hosts.includes(url.hostname);

  return {
    find: async (did) => {
      const url = documentUrlOf(did);
      return url !== null && isListed(url) ? find(url.href) : null;
    },
    findStatusList: async (did, given) => {
      const [document, url] = [documentUrlOf(did), URL.parse(given)];
      const isOfIssuer = document !== null && url !== null && document.origin === url.origin;
      return isOfIssuer && isListed(url) ? find(url.href) : null;
    },
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
