/**
 * What a client says about itself: in its metadata document (draft-ietf-oauth-client-id-metadata-document) or when it
 * registers (RFC 7591).
 */
import { hostNameInUrl, isLoopbackName } from '#runtime/inbound-http/host-names.ts';
import { jsonIn } from '#runtime/json-in.ts';
import { DomainError } from '../errors.ts';
import {
  clientIdLengthMax,
  clientNameLengthMax,
  redirectUriLengthMax,
  redirectUrisMax,
} from './oauth-limits.ts';
import { isAllowedRedirect } from './redirect-uris.ts';

export interface OauthClient {
  readonly id: string;
  readonly name: string;
  readonly redirectUris: readonly string[];
}

/** @throws DomainError invalid_redirect_uri, invalid_client_metadata */
export function readClientMetadata(given: unknown): Omit<OauthClient, 'id'> {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new DomainError('invalid_client_metadata', 'The metadata of a client must be a JSON object.');
  }
  // The fields of a JSON object.
  const {
    client_name: name,
    redirect_uris: uris,
    grant_types,
    response_types,
  } = given as Record<string, unknown>;
  if (!isListOfTexts(uris) || uris.length === 0 || uris.length > redirectUrisMax) {
    throw new DomainError(
      'invalid_redirect_uri',
      `\`redirect_uris\` must be a list of 1 to ${redirectUrisMax} URIs.`,
    );
  }
  const refused = uris.findIndex((uri) => !isAllowedRedirect(uri));
  if (refused >= 0) {
    throw new DomainError(
      'invalid_redirect_uri',
      `\`redirect_uris[${refused}]\` must be an https URL, an http URL of localhost, 127.0.0.1 or [::1], or a URL with the scheme of an app, which has a dot (com.example.app:/oauth) or belongs to a known host (cursor://), of at most ${redirectUriLengthMax} characters and without a fragment or user name.`,
    );
  }
  requireListed('grant_types', grant_types, 'authorization_code');
  requireListed('response_types', response_types, 'code');
  return { name: readName(name), redirectUris: uris };
}

function requireListed(field: string, given: unknown, value: string): void {
  if (given === undefined || given === null) return;
  if (isListOfTexts(given) && given.includes(value)) return;
  throw new DomainError('invalid_client_metadata', `\`${field}\` must be omitted, or contain \`${value}\`.`);
}

function isListOfTexts(given: unknown): given is readonly string[] {
  return Array.isArray(given) && given.every((item) => typeof item === 'string');
}

const unnamed = 'A client without a name';

/** Names are shown to people, so control and formatting characters are dropped. */
function readName(given: unknown): string {
  if (given === undefined || given === null) return unnamed;
  if (typeof given !== 'string') {
    throw new DomainError('invalid_client_metadata', '`client_name` must be a text.');
  }
  const name = given
    .toWellFormed()
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '')
    .trim();
  return name === '' ? unnamed : Array.from(name).slice(0, clientNameLengthMax).join('');
}

/** Whether a client id is the URL of a metadata document. Ids of registered clients are UUIDs. */
export function isDocumentId(clientId: string): boolean {
  return clientId.startsWith('https://') || clientId.startsWith('http://');
}

/**
 * @param isPrivate whether http is allowed on loopback
 * @throws DomainError invalid_client
 */
export function checkDocumentId(clientId: string, isPrivate: boolean): void {
  const url = URL.parse(clientId);
  const isFine =
    url !== null &&
    clientId.length <= clientIdLengthMax &&
    // Another notation of the same URL, such as one with dot segments, would be another client.
    url.href === clientId &&
    url.pathname !== '/' &&
    url.hash === '' &&
    !clientId.includes('#') &&
    url.username === '' &&
    url.password === '' &&
    (url.protocol === 'https:' || (isPrivate && isLoopbackName(hostNameInUrl(clientId) ?? '')));
  if (isFine) return;
  throw invalidClient(
    'A `client_id` that is a URL must be the https address of a metadata document, with a path, and without a user name or fragment.',
  );
}

const sharedSecretMethods: ReadonlySet<unknown> = new Set([
  'client_secret_basic',
  'client_secret_post',
  'client_secret_jwt',
]);

/**
 * Reads the document that a client id points to.
 * @throws DomainError invalid_client
 */
export function readClientDocument(clientId: string, text: string): OauthClient {
  const document = jsonIn(text);
  if (document === undefined) throw unusableDocument('It is not JSON.');
  try {
    const metadata = readClientMetadata(document);
    // `readClientMetadata` accepts only objects.
    const fields = document as Readonly<Record<string, unknown>>;
    if (fields['client_id'] !== clientId) throw invalidClient('Its `client_id` is not its own address.');
    if (typeof fields['client_name'] !== 'string') throw invalidClient('Its `client_name` is missing.');
    if (sharedSecretMethods.has(fields['token_endpoint_auth_method']) || 'client_secret' in fields)
      throw invalidClient('It must not use a shared secret.');
    return { id: clientId, ...metadata };
  } catch (error) {
    if (error instanceof DomainError) throw unusableDocument(error.message);
    throw error;
  }
}

function unusableDocument(reason: string): DomainError {
  return invalidClient(`The metadata document of the client cannot be used. ${reason}`);
}

export function invalidClient(message: string): DomainError {
  return new DomainError('invalid_client', message);
}
