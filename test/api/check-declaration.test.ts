import { expect, test } from 'bun:test';
import { Type } from 'typebox';
import { checkDeclaration } from '#api/plugins/operations.ts';
import type { Endpoint } from '#api/endpoint.ts';
import { nullable, object } from '#api/schemas.ts';

const good: Endpoint = {
  method: 'POST',
  path: '/things/:id',
  summary: 'Do',
  tag: 'service',
  auth: 'agent',
  params: object({ id: Type.String() }),
  body: object({ inner: nullable(object({ text: Type.String() })) }),
  responses: {},
  idempotent: 'transaction',
  handle: () => null,
};

const otherParameters = 'exactly the parameters in its path';
const openObject = 'must reject unknown fields';
test.each<[string, Partial<Endpoint>, string]>([
  ['a parameter that is not in its path', { path: '/things' }, otherParameters],
  ['an undeclared parameter in its path', { path: '/things/:id/:part' }, otherParameters],
  ['a body that accepts unknown fields', { body: Type.Object({}) }, openObject],
  ['an open object in a list', { body: object({ a: Type.Array(Type.Object({})) }) }, openObject],
  ['an open object within a union', { body: object({ a: nullable(Type.Object({})) }) }, openObject],
  ['idempotency keys without an agent', { auth: 'none' }, 'must not declare `idempotent`'],
  ['a balance without an agent', { auth: 'none', withBalance: true }, 'must not declare `withBalance`'],
  ['idempotency keys on a read', { method: 'GET' }, 'must not declare `idempotent`'],
])('the hub does not start with %s', (_, change, message) => {
  expect(() => checkDeclaration({ ...good, ...change })).toThrow(message);
});

test('the hub does not start with an authenticated POST that does not declare `idempotent`', () => {
  const { idempotent: _, ...without } = good;
  expect(() => checkDeclaration(without)).toThrow('must declare `idempotent`');
});
