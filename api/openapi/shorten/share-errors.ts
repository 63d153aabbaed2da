/**
 * Describes the errors that any operation may return once: wrong parameters, missing tokens, limits. Operations list
 * the statuses with codes of their own, and everything else as `default`.
 */
import type { Json } from '../component-schemas.ts';
import { errorReference } from '../shared-parts.ts';
import { mapOperations, type Paths } from './share-responses.ts';

/** By status, in the order of the description. */
const commonCodes: Readonly<Record<string, readonly string[]>> = {
  400: ['invalid_parameter', 'invalid_host', 'invalid_body'],
  401: ['missing_token', 'invalid_token'],
  403: ['agent_suspended'],
  409: ['idempotency_key_reused', 'request_in_progress'],
  413: ['body_too_large'],
  415: ['unsupported_media_type'],
  429: ['rate_limited'],
  500: ['internal_error'],
  503: ['database_unavailable', 'database_pending'],
};

export interface SharedErrors {
  readonly paths: Paths;
  readonly responses: Json;
}

/** @param body the schema of every error */
export function shareErrors(paths: Paths, body: Json): SharedErrors {
  const listed = Object.entries(commonCodes).map(([status, codes]) => `${status} ${namesOf(codes)}`);
  const shared = {
    description: `Errors that any operation may return besides those it lists: ${listed.join('; ')}. Those with 429 and 503, and \`request_in_progress\`, have \`Retry-After\`; those with 401 have \`WWW-Authenticate\`.`,
    content: { 'application/json': { schema: body } },
  };
  return {
    responses: { Error: shared },
    paths: mapOperations(paths, (operation) => ({
      ...operation,
      // Every operation has responses.
      responses: shortened(operation['responses'] as Readonly<Record<string, Json>>),
    })),
  };
}

function shortened(responses: Readonly<Record<string, Json>>): Json {
  const hasErrors = Object.values(responses).some((response) => codesOf(response) !== null);
  const own = Object.entries(responses).flatMap(([status, response]) => {
    const codes = codesOf(response);
    if (codes === null) return [[status, response] as const];
    const special = codes.filter((code) => commonCodes[status]?.includes(code) !== true);
    if (special.length === 0) return [];
    return [[status, { $ref: errorReference, description: namesOf(special) }] as const];
  });
  return { ...(hasErrors ? { default: { $ref: errorReference } } : {}), ...Object.fromEntries(own) };
}

/** Null for a response that is not an error. */
function codesOf(response: Json): readonly string[] | null {
  // The forms that `responses.ts` makes.
  const { content } = response as {
    readonly content?: Readonly<
      Record<string, { readonly schema: { readonly allOf?: readonly [unknown, ErrorCodes] } }>
    >;
  };
  return content?.['application/json']?.schema.allOf?.[1].properties?.error?.enum ?? null;
}

interface ErrorCodes {
  readonly properties?: { readonly error?: { readonly enum?: readonly string[] } };
}

function namesOf(codes: readonly string[]): string {
  return codes.map((code) => `\`${code}\``).join(', ');
}
