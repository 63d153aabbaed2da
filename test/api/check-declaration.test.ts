import { expect, test } from 'bun:test';
import { Type } from 'typebox';
import { checkDeclaration } from '#api/check-declaration.ts';
import type { Endpoint } from '#api/endpoint.ts';
import { hubEndpoints } from '#api/routes/index.ts';
import { nullable, object } from '#api/schemas/object.ts';

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

test('every endpoint of the hub keeps the conventions', () => {
  for (const endpoint of hubEndpoints) expect(() => checkDeclaration(endpoint)).not.toThrow();
});

test.each<[string, Partial<Endpoint>, string]>([
  ['a parameter that is not in its path', { path: '/things' }, 'the parameters that are in its path'],
  [
    'a parameter in its path that is not declared',
    { path: '/things/:id/:part' },
    'the parameters that are in its path',
  ],
  ['a body that takes unknown fields', { body: Type.Object({}) }, 'refuses unknown fields'],
  [
    'a body with an object in it that does',
    { body: object({ a: Type.Array(Type.Object({})) }) },
    'refuses unknown fields',
  ],
  [
    'an open object behind a union',
    { body: object({ a: nullable(Type.Object({ b: Type.String() })) }) },
    'refuses unknown fields',
  ],
  ['keys that belong to nobody', { auth: 'none' }, 'an agent for its idempotency keys'],
  ['keys on a read', { method: 'GET' }, 'an agent for its idempotency keys'],
])('the hub does not start with %s', (_, change, message) => {
  expect(() => checkDeclaration({ ...good, ...change })).toThrow(message);
});

test('the hub does not start with an authenticated POST that does not honour keys', () => {
  const { idempotent: _, ...without } = good;
  expect(() => checkDeclaration(without)).toThrow('how it honours an Idempotency-Key');
});
