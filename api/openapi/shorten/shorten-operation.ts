/** Leaves out of an operation what holds for all of them or is said elsewhere in the document. */
import type { Json } from '../component-schemas.ts';
import { bearerOnly } from '../shared-parts.ts';

/** What most operations require, so it holds for those that say nothing else. */
export const commonSecurity = [Object.fromEntries(Object.keys(bearerOnly).map((name) => [name, []]))];

export function shortenOperation(operation: Json): Json {
  return withoutConditionalReads(withoutCommonSecurity(operation));
}

function withoutCommonSecurity({ security, ...operation }: Json): Json {
  return Bun.deepEquals(security, commonSecurity) ? operation : { ...operation, security };
}

/** The introduction and the parameters that cause these headers describe them. */
const describedByParameters = new Set(['Link', 'Idempotent-Replayed']);

function withoutConditionalReads(operation: Json): Json {
  // Every operation has responses.
  const responses = Object.entries(operation['responses'] as Readonly<Record<string, Json>>);
  const parameters = (operation['parameters'] ?? []) as readonly Json[];
  const kept = parameters.filter(({ $ref }) => $ref !== '#/components/parameters/IfNoneMatch');
  const isConditional = kept.length < parameters.length;
  const { parameters: _, ...rest } = operation;
  return {
    ...rest,
    ...(kept.length === 0 ? {} : { parameters: kept }),
    responses: Object.fromEntries(
      responses
        .filter(([status]) => status !== '304' || !isConditional)
        .map(([status, { headers, ...response }]) => {
          const own = Object.entries((headers ?? {}) as Json).filter(
            ([name, header]) => name !== 'ETag' && !(describedByParameters.has(name) && isReference(header)),
          );
          return [
            status,
            {
              ...withoutPlainWords(status, response),
              ...(own.length === 0 ? {} : { headers: Object.fromEntries(own) }),
            },
          ];
        }),
    ),
  };
}

/** The summary of the operation says what a successful response is. */
function withoutPlainWords(status: string, response: Json): Json {
  const { content } = response as { readonly content?: Json };
  const isPlain = (status === '200' || status === '201') && content?.['application/json'] !== undefined;
  return isPlain ? { ...response, description: 'OK' } : response;
}

function isReference(value: unknown): boolean {
  return typeof value === 'object' && value !== null && '$ref' in value;
}
