/** Moves responses that several operations have in common into the components, which halves the document. */
import type { Json } from '../component-schemas.ts';

/** A path with its operations, by method. */
export type Paths = Readonly<Record<string, Readonly<Record<string, Json>>>>;

const prefix = '#/components/responses/';
/** The length of a reference, and of a name where it is defined. */
const [referenceLength, nameLength] = [43, 16];

export interface SharedResponses {
  readonly paths: Paths;
  /** By name, such as `R401`. The names are short because they occur hundreds of times. */
  readonly responses: Json;
}

/** @param known responses that are shared already, perhaps one of them under several names */
export function shareResponses(paths: Paths, known: Json = {}): SharedResponses {
  const whole = resolveResponses(paths, known);
  const counts = new Map<string, number>();
  forEachResponse(whole, (status, text) => {
    const key = `${status} ${text}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  });
  const names = nameShared(counts);
  const responses: Record<string, unknown> = 'Error' in known ? { Error: known['Error'] } : {};
  for (const [key, name] of names) responses[name] = JSON.parse(key.slice(key.indexOf(' ') + 1));
  const replace = ([status, response]: readonly [string, unknown]): readonly [string, unknown] => {
    const name = names.get(`${status} ${JSON.stringify(response)}`);
    return [status, name === undefined ? response : { $ref: prefix + name }];
  };
  return {
    responses,
    paths: mapOperations(whole, (operation) => ({
      ...operation,
      responses: Object.fromEntries(Object.entries(responsesOf(operation)).map(replace)),
    })),
  };
}

/** Inlines shared responses again, except `Error`, to which others refer. */
function resolveResponses(paths: Paths, known: Json): Paths {
  const resolve = ([status, response]: readonly [string, unknown]): readonly [string, unknown] => {
    const { $ref = '', ...own } = response as { readonly $ref?: string };
    const name = $ref.slice(prefix.length);
    const isShared = name !== 'Error' && Object.keys(own).length === 0 && name in known;
    return [status, isShared ? known[name] : response];
  };
  return mapOperations(paths, (operation) => ({
    ...operation,
    responses: Object.fromEntries(Object.entries(responsesOf(operation)).map(resolve)),
  }));
}

/** The most frequent response of a status has the plain name. */
function nameShared(counts: ReadonlyMap<string, number>): ReadonlyMap<string, string> {
  const used = new Map<string, number>();
  const shared = [...counts]
    .filter(([key, count]) => (count - 1) * key.length > count * referenceLength + nameLength)
    .toSorted(([one, more], [other, fewer]) => fewer - more || (one < other ? -1 : 1));
  return new Map(
    shared.map(([key]) => {
      const status = key.slice(0, key.indexOf(' '));
      const number = (used.get(status) ?? 0) + 1;
      used.set(status, number);
      const base = `R${status}`;
      return [key, number === 1 ? base : `${base}_${number}`];
    }),
  );
}

function forEachResponse(paths: Paths, visit: (status: string, text: string) => void): void {
  for (const operations of Object.values(paths)) {
    for (const operation of Object.values(operations)) {
      for (const [status, response] of Object.entries(responsesOf(operation))) {
        // The default is shared already.
        if (status !== 'default') visit(status, JSON.stringify(response));
      }
    }
  }
}

export function mapOperations(paths: Paths, map: (operation: Json) => Json): Paths {
  return Object.fromEntries(
    Object.entries(paths).map(([path, operations]) => [
      path,
      Object.fromEntries(Object.entries(operations).map(([method, operation]) => [method, map(operation)])),
    ]),
  );
}

function responsesOf({ responses }: Json): Json {
  return responses as Json; // Every operation has them.
}
