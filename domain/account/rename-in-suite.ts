/** Takes a handle out of the document of a suite, which stays a document: handles may be words of its format. */
import { checkDocument } from '#evals/own-suite/check-document.ts';
import type { SuiteCase, SuiteDocument } from '#evals/own-suite/document.ts';
import type { CaseIdentity } from '#evals/own-suite/identity.ts';
import { withoutHandle } from '../agents/retired-handles.ts';

interface Contents {
  readonly document: unknown;
  readonly caseIdentities: readonly CaseIdentity[];
}

/**
 * Replaces a handle in the texts of a document, and in the ids of its cases alike. If the handle is a word of the format
 * (`user`, or `string` in a JSON schema), it stays in the fields that have such words.
 */
export function renameInSuite<Given extends Contents>(
  { document, caseIdentities }: Given,
  handle: string,
): Pick<Given, 'document' | 'caseIdentities'> {
  const renamed = renameDocument(document, handle);
  const cases = isSound(renamed) ? (renamed as SuiteDocument).cases : [];
  return {
    document: renamed,
    caseIdentities: caseIdentities.map(([id, hash], index) => [cases[index]?.id ?? id, hash]),
  };
}

function renameDocument<Value>(document: Value, handle: string): Value {
  const renamed = renameTexts(document, handle);
  if (isSound(renamed) || !isSound(document)) return renamed;
  // A sound document is an object with a list of cases.
  const { cases } = document as Value & { readonly cases: readonly SuiteCase[] };
  const careful = {
    ...renameHead(document, handle),
    cases: cases.map((one) => renameHead(one, handle)),
  };
  return isSound(careful) ? careful : document;
}

function isSound(document: unknown): boolean {
  return checkDocument(document).ok;
}

/**
 * Replaces the handle in all texts of a value. Names of fields stay, and so do the words of a schema.
 *
 * @param path the names of the fields that lead to it
 */
function renameTexts<Value>(value: Value, handle: string, path: readonly string[] = []): Value {
  const renamed = ((): unknown => {
    if (typeof value === 'string') return withoutHandle(value, handle);
    if (Array.isArray(value)) return value.map((item: unknown) => renameTexts(item, handle, path));
    if (typeof value !== 'object' || value === null) return value;
    const words = isInSchema(path) ? wordsOfSchema(value) : null;
    return Object.fromEntries(
      Object.entries(value).map(([name, item]: [string, unknown]) => {
        const known = words?.get(name);
        const change = (one: unknown): unknown =>
          known?.has(one) ? one : renameTexts(one, handle, [...path, name]);
        return [name, known !== undefined && Array.isArray(item) ? item.map(change) : change(item)];
      }),
    );
  })();
  return renamed as Value; // Only texts inside it change.
}

/** The parameters of a tool, and the schema of a grader. */
function isInSchema(path: readonly string[]): boolean {
  const places = path.map((name, at) => `${path[at - 1]}/${name}`);
  return places.includes('tools/parameters') || places.includes('json/schema');
}

const schemaTypes: ReadonlySet<unknown> = new Set([
  'array',
  'boolean',
  'integer',
  'null',
  'number',
  'object',
  'string',
]);

/** What stays in fields of a JSON schema: types, and the names of its own properties. */
function wordsOfSchema(schema: object): ReadonlyMap<string, ReadonlySet<unknown>> {
  const properties: unknown = 'properties' in schema ? schema.properties : null;
  const names = typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
  return new Map([
    ['type', schemaTypes],
    ['required', new Set<unknown>(names)],
  ]);
}

/** Replaces the handle in the fields that are texts themselves, such as the prompt of a case. */
function renameHead<Value>(value: Value, handle: string): Value {
  const fields = Object.entries(value as object).map(([name, item]: [string, unknown]) => [
    name,
    typeof item === 'string' && name !== 'id' ? withoutHandle(item, handle) : item,
  ]);
  return Object.fromEntries(fields) as Value; // Only texts inside it change.
}
