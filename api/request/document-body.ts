/** Bodies that are documents: YAML, JSON, JSONL or CSV of up to several megabytes, which a verb reads and checks. */
import { DomainError } from '#domain/errors.ts';
import type { DocumentFormat } from '#evals/own-suite/read-document.ts';
import { requireNoEncoding } from './body.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Older names of the media types. */
const aliases: Readonly<Record<string, string>> = {
  'application/x-yaml': 'application/yaml',
  'text/yaml': 'application/yaml',
  'text/x-yaml': 'application/yaml',
  'application/x-ndjson': 'application/jsonl',
};

/** The media type of the body, without parameters. */
function typeOf(request: Request): string {
  const [given = ''] = (request.headers.get('content-type') ?? '').split(';');
  const type = given.trim().toLowerCase();
  return aliases[type] ?? type;
}

/**
 * @param types the media types that the endpoint accepts
 * @throws DomainError unsupported_media_type
 */
export function requireDocumentType(request: Request, types: readonly string[]): void {
  requireNoEncoding(request);
  const charset = /;[\t ]*charset[\t ]*=[\t ]*"?([^";\s]*)/i.exec(
    request.headers.get('content-type') ?? '',
  )?.[1];
  if (types.includes(typeOf(request)) && (charset === undefined || /^utf-?8$/i.test(charset))) return;
  throw new DomainError(
    'unsupported_media_type',
    `The body must be text in UTF-8 with one of these types: ${types.join(', ')}.`,
    { hint: 'Send the header `Content-Type` with one of them.' },
  );
}

/** @throws DomainError invalid_body for text that is not UTF-8 */
export function readDocumentText(rawBody: Uint8Array): string {
  try {
    return utf8.decode(rawBody);
  } catch (error) {
    throw new DomainError('invalid_body', 'The body is not valid UTF-8; encode the document in UTF-8.', {
      cause: error,
    });
  }
}

/** The format of a suite that an endpoint has accepted. */
export function documentFormatOf(request: Request): DocumentFormat {
  const type = typeOf(request);
  if (type === 'application/json') return 'json';
  // Forms send YAML, which JSON is too.
  return type === 'application/jsonl' ? 'jsonl' : 'yaml';
}
