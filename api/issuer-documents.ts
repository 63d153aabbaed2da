/**
 * Loads the DID documents and status lists of other hubs, only from hosts that the operator has listed, and keeps them
 * for a while.
 */
import { type IssuerDocuments, isObject } from '#domain/credentials/verify-credential.ts';
import type { Json } from '#domain/credentials/data-integrity.ts';
import { DomainError } from '#domain/errors.ts';
import { parseJson } from '#domain/targets/read-json.ts';
import type { Claimant } from '#runtime/turns/turns.ts';
import { createDocumentLoader, type DocumentLoaderOptions } from './document-loader.ts';

export interface IssuerDocumentsOptions extends DocumentLoaderOptions {
  /** Host names, without a port. */
  readonly hosts: readonly string[];
}

const maxBytes = 256 * 1024;
const keptMs = 5 * 60 * 1_000;

export interface LoadedIssuerDocuments {
  /** @param claimant takes a turn to load and one at the issuer's address; without a turn, the document is null */
  askedBy(claimant: Claimant): IssuerDocuments;
  close(): void;
}

export function createIssuerDocuments(options: IssuerDocumentsOptions): LoadedIssuerDocuments {
  const { logger, hosts } = options;
  const documents = createDocumentLoader<Json | null>(options, {
    maxBytes,
    read: (url, outcome) => {
      const document = outcome.ok && outcome.status === 200 ? parseJson(outcome.body) : null;
      if (isObject(document)) return { document, keptMs };
      const fault = outcome.ok ? `no JSON with status 200 but ${outcome.status}` : outcome.fault;
      logger.info({ host: new URL(url).host, fault }, 'a document of an issuer was not loaded');
      return { document: null, keptMs: 0 };
    },
  });
  const find = (url: string, claimant: Claimant): Promise<Json | null> =>
    documents.get(url, claimant).catch((error: unknown) => {
      if (error instanceof DomainError) return null;
      throw error;
    });

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
    close: () => documents.close(),
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
