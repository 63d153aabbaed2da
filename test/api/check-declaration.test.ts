import { expect, test } from 'bun:test';
import { Type } from 'typebox';
import { checkDeclaration } from '#api/plugins/operations.ts';
import type { Endpoint } from '#api/endpoint.ts';
import { hubEndpoints } from '#api/routes.ts';
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

test('every endpoint of the hub follows the conventions', () => {
  for (const endpoint of hubEndpoints) expect(() => checkDeclaration(endpoint)).not.toThrow();
});

test.each<[string, Partial<Endpoint>, string]>([
  ['a parameter that is not in its path', { path: '/things' }, 'exactly the parameters in its path'],
  [
    'an undeclared parameter in its path',
    { path: '/things/:id/:part' },
    'exactly the parameters in its path',
  ],
  ['a body that accepts unknown fields', { body: Type.Object({}) }, 'must reject unknown fields'],
  [
    'a body with a nested object that accepts unknown fields',
    { body: object({ a: Type.Array(Type.Object({})) }) },
    'must reject unknown fields',
  ],
  [
    'an open object within a union',
    { body: object({ a: nullable(Type.Object({ b: Type.String() })) }) },
    'must reject unknown fields',
  ],
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
