/** The form of the contract's checks, and the requests that many of them use. */
import type { TestResponse } from '#test/harness/hub.ts';
import type { Resource } from './endpoint-table.ts';
import type { World } from './world.ts';

/** Provokes a response. */
export type Check = (world: World) => Promise<TestResponse>;

/**
 * Keyed by the expected response, such as `409 sold_out`. Text in brackets distinguishes checks with the same
 * response.
 */
export type Checks = Readonly<Record<string, Check>>;

export interface RowChecks {
  readonly checks: Checks;
  /** Where the response of the first check contains the resource whose fields are listed. */
  readonly shows?: Readonly<Partial<Record<Resource, (body: TestResponse['body']) => unknown>>>;
}

export const wide = '😀';

/** Returns the response after checking one of its fields. */
export async function saying(
  answer: Promise<TestResponse>,
  field: string,
  value: unknown,
): Promise<TestResponse> {
  const given = await answer;
  if (given.body[field] !== value) throw new Error(`${field} must be ${String(value)}: ${given.text}`);
  return given;
}

/** Without a token and with an invalid one. */
export function needsToken(path: string, json?: object, method?: string): Checks {
  const request = method === undefined ? {} : { method };
  return {
    '401 missing_token': ({ ask }) => ask(null, path, json, request),
    '401 invalid_token': ({ ask }) => ask(null, path, json, { ...request, token: 'hub_wrong' }),
  };
}

/** A text of exactly this many code points, and one longer by one. */
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

/** An http URL of exactly this length. */
export function urlOf(length: number): string {
  const start = 'https://git.example/';
  return start + 'x'.repeat(length - start.length);
}
