/** Fetches the metadata documents of OAuth clients, and caches them as their headers say. */
import {
  checkDocumentId,
  invalidClient,
  type OauthClient,
  readClientDocument,
} from '#domain/oauth/client-metadata.ts';
import type { Claimant } from '#runtime/turns/turns.ts';
import { createDocumentLoader, type DocumentLoaderOptions } from '../document-loader.ts';

export interface ClientDocuments {
  /**
   * @param claimant takes a turn to load and one at the client's address
   * @throws DomainError invalid_client; rate_limited if it gets no turn in time
   */
  get(clientId: string, claimant: Claimant): Promise<OauthClient>;
  close(): void;
}

export interface ClientDocumentsOptions extends DocumentLoaderOptions {
  /** Whether http is allowed on loopback. */
  readonly isPrivate: boolean;
}

const maxBytes = 64 * 1024;
const cachedMaxMs = 60 * 60 * 1_000;
const jsonType = /^application\/(?:[\w.+-]+\+)?json *(?:;|$)/i;

export function createClientDocuments(options: ClientDocumentsOptions): ClientDocuments {
  const { logger, isPrivate } = options;
  const documents = createDocumentLoader<OauthClient>(options, {
    maxBytes,
    read: (clientId, outcome) => {
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
      const document = readClientDocument(clientId, new TextDecoder().decode(outcome.body));
      return { document, keptMs: Math.min(cachedMaxMs, cachedMs(cacheControl)) };
    },
  });
  return {
    get: async (clientId, claimant) => {
      checkDocumentId(clientId, isPrivate);
      return documents.get(clientId, claimant);
    },
    close: () => documents.close(),
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
