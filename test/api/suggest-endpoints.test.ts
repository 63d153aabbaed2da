import { expect, test } from 'bun:test';
import { longerPaths, nearestPath } from '#api/errors/suggest-endpoints.ts';

const exists = (path: string): boolean =>
  ['/v1/agents', '/v1/agents/me', '/v1/threads', '/health', '/api/inbound/mail'].includes(path);

test.each([
  ['/agents', '/v1/agents'],
  ['/api/v1/agents', '/v1/agents'],
  ['/v2/agents', '/v1/agents'],
  ['/v1/agents/', '/v1/agents'],
  ['/v1//agents', '/v1/agents'],
  ['/v1/thread', '/v1/threads'],
  ['/api/thread/', '/v1/threads'],
  ['/v1/Agents/me', '/v1/agents/me'],
  ['/v1/agent/me', '/v1/agents/me'],
  ['/healths', '/health'],
  ['/inbound/mail', '/api/inbound/mail'],
])('%s is near %s', (path, near) => {
  expect(nearestPath(path, exists)).toBe(near);
});

test('a trailing slash is removed before a segment could match a parameter', () => {
  const existsWithId = (path: string): boolean => /^\/v1\/threads(\/[^/]+)?$/.test(path);
  expect(nearestPath('/v1/threads/', existsWithId)).toBe('/v1/threads');
  expect(nearestPath('/threads/x/', existsWithId)).toBe('/v1/threads/x');
});

test.each(['/', '/v1', '/v1/nothing', `/v1/${'a'.repeat(300)}`])('nothing is near %s', (path) => {
  expect(nearestPath(path, exists)).toBeNull();
});

const templates = [
  '/v1/agents',
  '/v1/agents/:handle',
  '/v1/agents/register',
  '/v1/eval-jobs/:id',
  '/v1/runs/:id/cases/next',
  '/v1/runs/:id/cases/:case_id/prompt',
  '/v1/runs/:id/report',
];

test.each([
  ['/v1/register', ['/v1/agents/register']],
  ['/v1/runs/7/next', ['/v1/runs/7/cases/next']],
  ['/v1/runs/7/cases', ['/v1/runs/7/cases/next', '/v1/runs/7/cases/{case_id}/prompt']],
  ['/v1/report', ['/v1/runs/{id}/report']],
  ['/v1/nothing', []],
  ['/v1', []],
  ['/register', []],
])('%s lacks segments of %j', (path, longer) => {
  expect(longerPaths(path, templates)).toEqual(longer);
});
