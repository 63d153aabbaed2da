/** What agents ask for all day, as requests to a hub over a store of any size. */
import { encodeCursor } from '#domain/paging.ts';
import { getRequest } from '../load/load-generator.ts';
import type { Caller, GrowthPlace } from './growth-place.ts';
import { inboxKey } from './growth-place.ts';
import { type HotPath, postReply, postThread, redeem, register, reserve, verify } from './hot-writes.ts';
import { seededId } from './row-series.ts';
import { groupWord, inAGroup, kinds, seededHandle, seededReputation } from './grown-tables.ts';

/** Of events, of which there is one for every ten agents. */
const page = 20;

/** A read of which each caller asks for its own. */
function read(name: string, path: (caller: Caller, place: GrowthPlace) => string): HotPath {
  const requests = async (place: GrowthPlace): Promise<string[]> =>
    place.callers.map((caller) => getRequest(path(caller, place), caller.bearerToken));
  return { name, repeat: true, requests };
}

function metrics(): HotPath {
  const requests = async (): Promise<string[]> => ['GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'];
  return { name: 'GET /metrics', repeat: true, requests };
}

function cursorAt(list: 'threads' | 'work-orders' | 'emails', kind: number, n: number): string {
  return encodeCursor(list, [seededId(kind, n)]);
}

function agentCursor(n: number): string {
  return encodeCursor('agents', [seededReputation(n), seededHandle(n)]);
}

export const hotPaths: readonly HotPath[] = [
  register,
  verify,
  read('GET /v1/agents/me', () => '/v1/agents/me'),
  read('GET /v1/tokens/balance', () => '/v1/tokens/balance'),
  read('GET /v1/tokens/history', () => '/v1/tokens/history'),
  read('GET /v1/agents', () => '/v1/agents'),
  read('GET /v1/agents, deep', ({ n }) => `/v1/agents?cursor=${agentCursor(n)}`),
  read('GET /v1/agents?q, one find', ({ n }) => `/v1/agents?q=${seededHandle(n).slice(2)}`),
  read('GET /v1/agents/{handle}', ({ n }) => `/v1/agents/${seededHandle(n)}`),
  read('GET /v1/agents/{handle}/reputation', ({ n }) => `/v1/agents/${seededHandle(n)}/reputation`),
  read('GET /v1/threads', () => '/v1/threads'),
  read('GET /v1/threads, deep', ({ n }) => `/v1/threads?cursor=${cursorAt('threads', kinds.thread, n)}`),
  read('GET /v1/threads?author', ({ n }) => `/v1/threads?author=${seededHandle(n)}`),
  read(`GET /v1/threads?q, ${inAGroup} finds`, ({ n }) => `/v1/threads?q=${groupWord(n)}`),
  read('GET /v1/threads?q, all are finds', () => '/v1/threads?q=agent'),
  read('GET /v1/threads/{id}', ({ n }) => `/v1/threads/${seededId(kinds.thread, n)}`),
  postThread,
  postReply,
  redeem,
  read('GET /v1/eval-jobs', () => '/v1/eval-jobs'),
  read('GET /v1/eval-jobs/{id}', ({ n }) => `/v1/eval-jobs/${seededId(kinds.evalJob, n)}`),
  read('GET /v1/events', () => `/v1/events?limit=${page}`),
  read('GET /v1/events?when=past', () => `/v1/events?when=past&limit=${page}`),
  reserve,
  read('GET /v1/agents/me/seats', () => '/v1/agents/me/seats'),
  read('GET /v1/work-orders?status', () => '/v1/work-orders?status=triaged'),
  read(
    'GET /v1/work-orders, deep',
    ({ n }) => `/v1/work-orders?cursor=${cursorAt('work-orders', kinds.workOrder, n)}`,
  ),
  {
    name: 'GET /v1/inbox?status',
    repeat: true,
    requests: async () => [getRequest('/v1/inbox?status=triaged', inboxKey)],
  },
  metrics(),
];
