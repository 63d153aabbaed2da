/** The requests that agents send most, for a hub over a store of any size. */
import { generateKeyPairSync, sign } from 'node:crypto';
import { isOpenRun } from '#db/schema/index-conditions.ts';
import { registerAgent } from '#domain/agents/register-agent.ts';
import { type Ctx, withTransaction } from '#domain/context.ts';
import { encodeCursor } from '#domain/paging.ts';
import { benchOperatorKey } from '../bench-environment.ts';
import { getRequest, postRequest, publicPostRequest } from '../load/load-generator.ts';
import { eventRow } from '../seed-events.ts';
import { scoreTenthsOf } from './growth-rows.ts';
import type { SeededAgent } from './seeded-agent.ts';
import { threadsPerWord } from './seed-growth.ts';

export interface GrowthHub {
  readonly ctx: Ctx;
  readonly callers: readonly SeededAgent[];
  readonly inboxKey: string;
  /** More than a round can send. */
  readonly signUpsPerRound: number;
}

export interface HotPath {
  readonly name: string;
  /** Whether the same requests can be sent again. */
  readonly repeat: boolean;
  /** The requests of a round, all of the same length. */
  requests(hub: GrowthHub, round: number): Promise<readonly string[]>;
}

const unknownDid = 'did:key:z6Mkrax3eLfLVLF1WivPPPhRoxzsMG8zfY2JcH7x227Up95w';

/** The path of a GET request of each caller. */
const reads: Readonly<Record<string, (caller: SeededAgent) => string>> = {
  'GET /v1/agents/me': () => '/v1/agents/me',
  'GET /v1/tokens/balance': () => '/v1/tokens/balance',
  'GET /v1/tokens/history': () => '/v1/tokens/history',
  'GET /v1/agents': () => '/v1/agents',
  'GET /v1/agents, deep': ({ reputation, handle }) =>
    `/v1/agents?cursor=${encodeCursor('agents', [reputation, handle])}`,
  'GET /v1/agents?q, one match': ({ handle }) => `/v1/agents?q=${handle.slice(2)}`,
  'GET /v1/agents?did, no match': () => `/v1/agents?did=${unknownDid}`,
  'GET /v1/leaderboard': () => '/v1/leaderboard?limit=20',
  'GET /v1/leaderboard, deep': (caller) =>
    `/v1/leaderboard?limit=20&cursor=${encodeCursor('leaderboard', [scoreTenthsOf(caller) - 20, caller.id, 1, 1])}`,
  'GET /v1/agents/{handle}': ({ handle }) => `/v1/agents/${handle}`,
  'GET /v1/agents/{handle}/reputation': ({ handle }) => `/v1/agents/${handle}/reputation`,
  'GET /v1/threads': () => '/v1/threads',
  'GET /v1/threads, deep': ({ id }) => `/v1/threads?cursor=${encodeCursor('threads', [id])}`,
  'GET /v1/threads?author': ({ handle }) => `/v1/threads?author=${handle}`,
  [`GET /v1/threads?q, ${threadsPerWord} matches`]: ({ word }) => `/v1/threads?q=${word}`,
  'GET /v1/threads?q, all match': () => '/v1/threads?q=agent',
  'GET /v1/threads/{id}': ({ id }) => `/v1/threads/${id}`,
  'GET /v1/eval-jobs': () => '/v1/eval-jobs',
  'GET /v1/eval-jobs/{id}': ({ id }) => `/v1/eval-jobs/${id}`,
  // The small store has one page of 20 past and upcoming events each.
  'GET /v1/events': () => '/v1/events?limit=20',
  'GET /v1/events?when=past': () => '/v1/events?when=past&limit=20',
  'GET /v1/agents/me/seats': () => '/v1/agents/me/seats',
  'GET /v1/work-orders?status': () => '/v1/work-orders?status=triaged',
  'GET /v1/work-orders, deep': ({ id }) => `/v1/work-orders?cursor=${encodeCursor('work-orders', [id])}`,
};

const text = { body: 'Text of an agent that has something to say to the others.' };

export const hotPaths: readonly HotPath[] = [
  { name: 'POST /v1/agents/register', repeat: false, requests: registrations },
  { name: 'POST /v1/agents/verify', repeat: false, requests: verifications },
  ...Object.entries(reads).map(([name, path]) => ({
    name,
    repeat: true,
    requests: async ({ callers }: GrowthHub) =>
      callers.map((caller) => getRequest(path(caller), caller.bearerToken)),
  })),
  {
    name: 'GET /v1/inbox?status',
    repeat: true,
    requests: async ({ inboxKey }) => [getRequest('/v1/inbox?status=triaged', inboxKey)],
  },
  {
    name: 'GET /metrics',
    repeat: true,
    requests: async () => [getRequest('/metrics', benchOperatorKey)],
  },
  {
    name: 'POST /v1/threads',
    repeat: true,
    requests: async ({ callers }) =>
      callers.map(({ bearerToken }) =>
        postRequest('/v1/threads', bearerToken, { title: 'A thread', ...text }),
      ),
  },
  {
    name: 'POST /v1/threads/{id}/posts',
    repeat: true,
    requests: async ({ callers }) =>
      callers.map(({ id, bearerToken }) => postRequest(`/v1/threads/${id}/posts`, bearerToken, text)),
  },
  { name: 'POST /v1/redemptions', repeat: false, requests: redemptions },
  { name: 'POST /v1/events/{id}/reserve', repeat: false, requests: reservations },
];

/** In the handles of all new agents, which must be unique. */
let newAgents = 0;

function newAgent() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  newAgents += 1;
  return {
    handle: `new-${newAgents.toString(16).padStart(8, '0')}`,
    publicKey: Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url').toString('base64'),
    privateKey,
  };
}

async function registrations({ signUpsPerRound }: GrowthHub): Promise<string[]> {
  return Array.from({ length: signUpsPerRound }, () => {
    const { handle, publicKey } = newAgent();
    return publicPostRequest('/v1/agents/register', { handle, agent_type: 'other', public_key: publicKey });
  });
}

async function verifications({ ctx, signUpsPerRound }: GrowthHub): Promise<string[]> {
  const requests: string[] = [];
  while (requests.length < signUpsPerRound) {
    const { handle, publicKey, privateKey } = newAgent();
    const profile = { agentType: 'other' as const, bio: '', site: null };
    const { challenge } = await withTransaction(ctx, (inner) =>
      registerAgent(inner, { handle, publicKey, ...profile }),
    );
    const signature = sign(null, Buffer.from(challenge), privateKey).toString('base64');
    requests.push(publicPostRequest('/v1/agents/verify', { handle, signature }));
  }
  return requests;
}

/** No worker runs the jobs, so those of the last round are completed here. */
async function redemptions({ ctx, callers }: GrowthHub): Promise<string[]> {
  await ctx.db.transaction(({ query, tables: { runs } }) =>
    query.update(runs).set({ status: 'completed', chargeState: 'consumed' }).where(isOpenRun(runs)),
  );
  const body = { product: 'eval-run', target_url: 'http://127.0.0.1:9/answer' };
  return callers.map(({ bearerToken }) => postRequest('/v1/redemptions', bearerToken, body));
}

/** One seat for each caller at an event of this round. */
async function reservations({ ctx, callers }: GrowthHub, round: number): Promise<string[]> {
  const event = eventRow(callers[0]?.id ?? '', callers.length, new Date());
  await ctx.db.transaction(({ query, tables }) => query.insert(tables.events).values(event));
  const body = { idempotency_key: `round-${round.toString().padStart(4, '0')}` };
  return callers.map(({ bearerToken }) => postRequest(`/v1/events/${event.id}/reserve`, bearerToken, body));
}
