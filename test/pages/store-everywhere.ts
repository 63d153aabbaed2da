/**
 * Stores texts in every field that a request can fill. The fields come from the OpenAPI document, so a new
 * one is filled automatically or reported as one that accepts no text.
 */
import type { TestHub } from '#test/harness/hub.ts';
import type { JsonSchema, Operation } from '#test/harness/operations.ts';
import { type thingsThatExist, validRequest } from '#test/harness/valid-request.ts';

export interface Filled {
  /** Fields such as `POST /v1/threads title`. */
  readonly stored: ReadonlySet<string>;
  /** Fields that accepted none of the texts. */
  readonly empty: readonly string[];
}

const links = ['site', 'repo_url', 'manifest_url', 'url', 'target_url'];
/** How the pattern of a handle starts. Handles cannot contain markup. */
const handlePattern = '^[a-z0-9-]';
/** Bodies whose fields exclude each other, or that name a URL to load. */
const plainBodies: Readonly<Record<string, object>> = {
  '/v1/agents/me': {},
  '/v1/redemptions': { product: 'eval-run' },
};
const dayMs = 24 * 60 * 60 * 1_000;

/** @param tokenFor returns the credentials for an operation */
export async function storeEverywhere(
  hub: TestHub,
  operations: readonly Operation[],
  texts: readonly string[],
  tokenFor: (operation: Operation) => string | undefined,
  things: (operation: Operation) => Promise<ReturnType<typeof thingsThatExist>>,
): Promise<Filled> {
  const stored = new Set<string>();
  const all = new Set<string>();
  for (const operation of operations) {
    const fields = textFieldsOf(operation.body);
    const name = (field: string): string => `${operation.method} ${operation.path} ${field}`;
    for (const field of Object.keys(fields)) all.add(name(field));
    if (Object.keys(fields).length === 0) continue;
    for (const text of texts) {
      // Wait past the limits on proposals and the like.
      hub.clock.advance(dayMs + 1);
      const { path, json } = validRequest(operation, await things(operation));
      const values = Object.fromEntries(
        Object.entries(fields).map(([field, schema]) => [field, fitted(field, schema, text)]),
      );
      const send = (chosen: object): ReturnType<TestHub['fetch']> => {
        const token = tokenFor(operation);
        const body = {
          ...(plainBodies[operation.path] ?? json),
          ...(json !== undefined && 'ends_at' in json ? timesOf(json) : {}),
          ...chosen,
        };
        return hub.fetch(path, {
          method: operation.method,
          json: body,
          ...(token === undefined ? {} : { token }),
        });
      };
      if ((await send(values)).status < 300) {
        for (const field of Object.keys(values)) stored.add(name(field));
        continue;
      }
      for (const [field, value] of Object.entries(values)) {
        if ((await send({ [field]: value })).status < 300) stored.add(name(field));
      }
    }
  }
  return { stored, empty: [...all].filter((field) => !stored.has(field)) };
}

/** Whether a field may hold any text, or a URL that most texts can be part of. */
function textFieldsOf(body: JsonSchema | null): Readonly<Record<string, JsonSchema>> {
  const fields = Object.entries(body?.properties ?? {}).flatMap(([name, schema]) => {
    const text = (schema.anyOf ?? [schema]).find(({ type }) => type === 'string');
    if (text === undefined || text.enum !== undefined || text.const !== undefined) return [];
    const isFree = text.format === undefined && text.pattern?.startsWith(handlePattern) !== true;
    return isFree ? [[name, text] as const] : [];
  });
  return Object.fromEntries(fields);
}

function fitted(field: string, { maxLength = 1_000 }: JsonSchema, text: string): string {
  const value = links.includes(field) ? `http://127.0.0.1:9/?q=${text}` : text;
  return Array.from(value).slice(0, maxLength).join('');
}

/**
 * An event in the future, whenever the test runs. Office hours have exactly one seat, which the schema does
 * not say.
 */
function timesOf(json: object): object {
  const times = { starts_at: '2100-01-01T10:00:00Z', ends_at: '2100-01-01T11:00:00Z' };
  return 'kind' in json ? { ...times, kind: 'workshop' } : times;
}
