/** Demo mode (DATABASE_URL=none): reads return built-in data marked as demo, writes are rejected. */
import { DomainError, invariant } from '#domain/errors.ts';
import type { ApiDeps } from './deps.ts';
import { JsonResponse, type Endpoint } from './endpoint.ts';

/** Checked before everything else, because nobody can get a token in demo mode either. */
export function databasePending(): DomainError {
  return new DomainError(
    'database_pending',
    'This hub has no database: it shows demo data and accepts no writes.',
    {
      hint: 'Use the read endpoints. For a live hub, start it without DATABASE_URL=none.',
    },
  );
}

/** Adds `demo: true` to the responses that declare it; null if the endpoint does not or the hub is live. */
export function createDemoMarker(
  endpoint: Endpoint,
  { demo }: Pick<ApiDeps, 'demo'>,
): ((response: JsonResponse) => JsonResponse) | null {
  if (!demo || !declaresMark(endpoint)) return null;
  return ({ status, body, headers }) => {
    invariant(typeof body === 'object', 'A response that declares `demo` must be an object.');
    return new JsonResponse(status, { ...body, demo: true }, headers);
  };
}

function declaresMark({ responses }: Endpoint): boolean {
  const schema: { readonly properties?: object } | undefined = responses[200]?.schema;
  return schema?.properties !== undefined && 'demo' in schema.properties;
}
