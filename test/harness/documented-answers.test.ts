/** The check of responses against the OpenAPI document detects each kind of violation. */
import { describe, expect, test } from 'bun:test';
import { Elysia } from 'elysia';
import { Type } from 'typebox';
import { edge, input, replies } from '#api/plugins/edge.ts';
import { operationsOf } from '#api/plugins/operations.ts';
import { nullable, object } from '#api/schemas/object.ts';
import { instant } from '#api/schemas/values.ts';
import { documentedAnswersOf, documentOf, listDocumentedAnswers } from './documented-answers.ts';

const thing = object({ at: nullable(instant()) });
const response = () => replies({ 200: { description: 'It.', schema: thing } });
const be = () => ({ at: null });
const endpoints = operationsOf(
  new Elysia({ tags: ['service'] })
    .use(edge)
    .get('/things/:name', be, {
      anyone: true,
      params: input(object({ name: Type.String() })),
      response: response(),
      errors: ['thread_not_found'],
      detail: { summary: 'Be' },
    })
    .get('/things/hidden', be, {
      anyone: true,
      hidden: true,
      response: response(),
      detail: { summary: 'Be' },
    }),
);
const documented = documentedAnswersOf(endpoints);

const always = { 'x-request-id': 'x' };
const found = { ...always, etag: 'W/"x"', 'content-type': 'application/json; charset=utf-8' };
const refused = { ...always, 'content-type': 'application/json' };

function identify(
  status: number,
  headers: Record<string, string>,
  body: unknown,
  { method = 'GET', path = '/things/one' } = {},
): string | null {
  const text = body === null ? '' : JSON.stringify(body);
  return documented.identify(method, path, { status, headers: new Headers(headers), text, body });
}
const refusal = (error: string) => ({ error, message: 'No.', hint: 'No.', request_id: 'x' });

describe('an answer of the document', () => {
  test('is named by operation, status and code', () => {
    expect(identify(200, found, { at: null })).toBe('GET /things/{name} 200');
    expect(identify(200, found, { at: '2026-01-31T12:00:00.000Z', more: 1 })).toBe('GET /things/{name} 200');
    expect(identify(304, { ...always, etag: 'W/"x"' }, null)).toBe('GET /things/{name} 304');
    expect(identify(404, refused, refusal('thread_not_found'))).toBe(
      'GET /things/{name} 404 thread_not_found',
    );
  });

  test('is listed under the same name', () => {
    expect(listDocumentedAnswers(documentOf(endpoints))).toEqual([
      'GET /things/{name} 200',
      'GET /things/{name} 304',
      'GET /things/{name} 400 invalid_host',
      'GET /things/{name} 400 invalid_parameter',
      'GET /things/{name} 404 thread_not_found',
      'GET /things/{name} 429 rate_limited',
      'GET /things/{name} 500 internal_error',
      'GET /things/{name} 503 database_unavailable',
    ]);
  });

  test('belongs to no operation if the document has none for it', () => {
    const nowhere = { path: '/nowhere' };
    expect(identify(404, refused, refusal('not_found'), nowhere)).toBeNull();
    expect(identify(429, refused, refusal('rate_limited'), nowhere)).toBeNull();
    expect(identify(404, refused, null, { ...nowhere, method: 'HEAD' })).toBeNull();
    expect(identify(405, refused, refusal('method_not_allowed'), { method: 'PUT' })).toBeNull();
    expect(identify(204, always, null, { method: 'OPTIONS' })).toBeNull();
    expect(identify(200, found, null, { method: 'HEAD' })).toBeNull();
    expect(identify(418, {}, null, { path: '/things/hidden' })).toBeNull();
  });
});

describe('an answer outside the document is recognised by', () => {
  test.each<[string, () => unknown]>([
    ['the status is not one of', () => identify(201, found, { at: null })],
    ['the header ETag is missing', () => identify(200, refused, { at: null })],
    [
      'Retry-After is not an integer',
      () => identify(429, { ...refused, 'retry-after': 'soon' }, refusal('x')),
    ],
    ['the headers Link are not named', () => identify(200, { ...found, link: '<x>' }, { at: null })],
    [
      'the content type is text/html',
      () => identify(200, { ...found, 'content-type': 'text/html' }, { at: null }),
    ],
    ['no body is named', () => identify(304, { ...always, etag: 'x' }, { at: null })],
    ['the answer to HEAD has a body', () => identify(200, found, { at: null }, { method: 'HEAD' })],
    ["must have required property 'at'", () => identify(200, found, {})],
    ['must match format "date-time"', () => identify(200, found, { at: 'yesterday' })],
    ['must be equal to one of', () => identify(404, refused, refusal('handle_taken'))],
    ['the response must be 404 not_found', () => identify(200, found, {}, { path: '/nowhere' })],
    [
      'the response must be 404 not_found',
      () => identify(404, refused, refusal('gone'), { path: '/nowhere' }),
    ],
    ['the response must be 405 method_not_allowed', () => identify(404, refused, null, { method: 'PUT' })],
    ['OPTIONS must return 204', () => identify(200, found, null, { method: 'OPTIONS' })],
  ])('"%s"', (fault, give) => {
    expect(give).toThrow(fault);
  });
});
