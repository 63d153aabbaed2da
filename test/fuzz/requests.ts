/**
 * Draws requests for the operations of an OpenAPI document: valid, nearly valid and wild ones, from all kinds
 * of callers.
 */
import fc from 'fast-check';
import type { Operation, Parameter } from '#test/harness/operations.ts';
import { validValue } from './valid-values.ts';
import { nearlyValid, wildBody, wildHeader, wildPathPart, wildValue } from './wild-values.ts';

/** The senders: agents, holders of an operator's key, and strangers. */
const callers = [
  'agent',
  'other',
  'maintainer',
  'nobody',
  'revoked',
  'malformed',
  'operator',
  'inbox',
] as const;
export type Caller = (typeof callers)[number];

/** The path, query and body contain placeholders. */
export interface FuzzRequest {
  readonly operation: Operation;
  /** Usually that of the operation. */
  readonly method: string;
  readonly caller: Caller;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array<ArrayBuffer> | null;
}

export function anyRequest(operations: readonly Operation[]): fc.Arbitrary<FuzzRequest> {
  return fc.oneof(...operations.map(requestFor));
}

function requestFor(operation: Operation): fc.Arbitrary<FuzzRequest> {
  const inPlace = (place: Parameter['in']) =>
    operation.parameters.filter((parameter) => parameter.in === place);
  const anyMethod = fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS');
  return fc.record({
    operation: fc.constant(operation),
    method: rarely(anyMethod, operation.method),
    caller: callerOf(operation),
    path: pathOf(operation.path, inPlace('path')),
    query: queryOf(inPlace('query')),
    headers: headersOf(operation, inPlace('header')),
    body: bodyOf(operation),
  });
}

/** Null except in one of this many requests. */
function onceIn(requests: number, value: fc.Arbitrary<string>): fc.Arbitrary<string | null> {
  return fc.oneof({ weight: requests - 1, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: value });
}

function rarely<T>(odd: fc.Arbitrary<T>, usual: T): fc.Arbitrary<T> {
  return fc.oneof({ weight: 1, arbitrary: odd }, { weight: 30, arbitrary: fc.constant(usual) });
}

function callerOf({ access }: Operation): fc.Arbitrary<Caller> {
  const usual: Caller = access === 'none' ? 'nobody' : access;
  return fc.oneof(
    { weight: 2, arbitrary: fc.constant(usual) },
    { weight: 1, arbitrary: fc.constantFrom(...callers) },
  );
}

function pathOf(template: string, parameters: readonly Parameter[]): fc.Arbitrary<string> {
  const values = parameters.map((parameter) =>
    fc.oneof(
      { weight: 5, arbitrary: validValue(parameter.schema, parameter.name).map(encode) },
      { weight: 1, arbitrary: wildPathPart },
    ),
  );
  return fc
    .tuple(...values)
    .map((parts) =>
      parameters.reduce((path, { name }, at) => path.replace(`{${name}}`, () => parts[at] ?? ''), template),
    );
}

function queryOf(parameters: readonly Parameter[]): fc.Arbitrary<string> {
  const given = parameters.map(({ name, schema, required }) => {
    const valid = validValue(schema, name).map((value) => queryPairs(name, value));
    const wild = fc.oneof(wildValue.map(encode), wildPathPart).map((text) => `${name}=${text}`);
    const pairs = fc.oneof({ weight: 4, arbitrary: valid }, { weight: 1, arbitrary: wild });
    return onceIn(required === true ? 1 : 3, pairs);
  });
  const stray = onceIn(10, fc.constantFrom('limit=1&limit=2', 'x=y', '&&=', 'handle=ada', '%zz'));
  return fc.tuple(...given, stray).map((parts) => parts.filter((part) => part !== null).join('&'));
}

/** A list is repeated once per item. */
export function queryPairs(name: string, value: unknown): string {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.map((each) => `${name}=${encode(each)}`).join('&');
}

function encode(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return encodeURIComponent(text.toWellFormed());
}

function headersOf(
  { body }: Operation,
  parameters: readonly Parameter[],
): fc.Arbitrary<Record<string, string>> {
  // Few keys, so that they are reused.
  const keys = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom('one', 'two', 'three') },
    { weight: 1, arbitrary: wildHeader },
  );
  const header = (name: string, value: fc.Arbitrary<string | null>) =>
    value.map((given) => [name, given] as const);
  const oddTypes = [
    'text/plain',
    'application/json; charset=utf-16',
    'application/jsonx',
    'multipart/form-data',
  ];
  const type = rarely(fc.constantFrom(...oddTypes, ''), 'application/json');
  return fc
    .tuple(
      ...parameters.map(({ name }) => header(name, onceIn(2, keys))),
      header('x-request-id', onceIn(10, wildHeader)),
      header('x-forwarded-for', onceIn(10, wildHeader)),
      header('content-encoding', onceIn(50, fc.constantFrom('gzip', 'identity'))),
      header('content-type', body === null ? onceIn(10, type) : type),
    )
    .map((pairs) =>
      Object.fromEntries(pairs.flatMap(([name, value]) => (value === null ? [] : [[name, value]]))),
    );
}

function bodyOf({ method, body }: Operation): fc.Arbitrary<FuzzRequest['body']> {
  if (method === 'GET') return fc.constant(null);
  if (body === null) return rarely<FuzzRequest['body']>(wildBody, null);
  const valid = validValue(body);
  return fc.oneof(
    { weight: 6, arbitrary: valid.map((value) => JSON.stringify(value)) },
    { weight: 3, arbitrary: nearlyValid(body, valid).map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: wildBody },
  );
}
