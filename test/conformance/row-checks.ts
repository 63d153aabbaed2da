/** The form in which the rows of the interface are checked, and the few requests that many checks are made of. */
import type { TestResponse } from '#test/harness/hub.ts';
import type { Resource } from './endpoint-table.ts';
import type { World } from './world.ts';

/** Brings an answer about. */
export type Check = (world: World) => Promise<TestResponse>;

/** By the answer that each is to get, as `409 sold_out`; words in brackets tell checks with the same answer apart. */
export type Checks = Readonly<Record<string, Check>>;

export interface RowChecks {
  readonly checks: Checks;
  /** Where the answer of the first check shows what the interface lists the fields of. */
  readonly shows?: Readonly<Partial<Record<Resource, (body: TestResponse['body']) => unknown>>>;
}

export const wide = '😀';

/** The answer, once it is known to say what it should. */
export async function saying(
  answer: Promise<TestResponse>,
  field: string,
  value: unknown,
): Promise<TestResponse> {
  const given = await answer;
  if (given.body[field] !== value) throw new Error(`${field} is to be ${String(value)}: ${given.text}`);
  return given;
}

/** Without a token, and with one that is none. */
export function needsToken(path: string, json?: object, method?: string): Checks {
  const request = method === undefined ? {} : { method };
  return {
    '401 missing_token': ({ ask }) => ask(null, path, json, request),
    '401 invalid_token': ({ ask }) => ask(null, path, json, { ...request, token: 'hub_wrong' }),
  };
}

/** A text of so many code points, and of one more. */
export function textLimit(
  name: string,
  max: number,
  success: '200' | '201',
  write: (world: World, text: string) => Promise<TestResponse>,
  textOf: (length: number) => string = (length) => wide.repeat(length),
): Checks {
  return {
    [`${success} (${name} of ${max})`]: (world) => write(world, textOf(max)),
    [`400 invalid_body (${name} of ${max + 1})`]: (world) => write(world, textOf(max + 1)),
  };
}

/** An http URL of a length. */
export function urlOf(length: number): string {
  const start = 'https://git.example/';
  return start + 'x'.repeat(length - start.length);
}
