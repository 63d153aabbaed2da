/** Demo mode (DATABASE_URL=none): reads show built-in data and say so, writes are refused. */
import { DomainError, invariant } from '#domain/errors.ts';
import type { ApiDeps } from './deps.ts';
import { JsonResponse, type Endpoint } from './endpoint.ts';

/** Refused before anything else is looked at: no token could be had here either. */
export function databasePending(): DomainError {
  return new DomainError(
    'database_pending',
    'This hub has no database yet: it shows demo data and takes no writes.',
    {
      hint: 'Read what is there. For a live hub, start it without DATABASE_URL=none.',
    },
  );
}

/** Adds `demo: true` to the answers that declare it; null where there is nothing to add. */
export function createDemoMarker(
  endpoint: Endpoint,
  { demo }: Pick<ApiDeps, 'demo'>,
): ((response: JsonResponse) => JsonResponse) | null {
  if (!demo || !declaresMark(endpoint)) return null;
  return ({ status, body, headers }) => {
    invariant(typeof body === 'object', 'An answer that declares `demo` is an object.');
    return new JsonResponse(status, { ...body, demo: true }, headers);
  };
}

function declaresMark({ responses }: Endpoint): boolean {
  const schema: { readonly properties?: object } | undefined = responses[200]?.schema;
  return schema?.properties !== undefined && 'demo' in schema.properties;
}
