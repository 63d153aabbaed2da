/** Of the hot paths those that write, whose requests are made anew for each round. */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { isOpenEvalJob } from '#db/schema/index-conditions.ts';
import { type TransactionCtx, withTransaction } from '#domain/context.ts';
import { registerAgent } from '#domain/agents/register-agent.ts';
import { postRequest, publicPostRequest } from '../load/load-generator.ts';
import { eventRow } from '../seed-events.ts';
import type { GrowthPlace } from './growth-place.ts';
import { seededId } from './row-series.ts';
import { kinds } from './grown-tables.ts';

export interface HotPath {
  readonly name: string;
  /** Whether its requests can be sent again and again. */
  readonly repeat: boolean;
  /** The requests of a round, all of the same length. */
  requests(place: GrowthPlace, round: number): Promise<readonly string[]>;
}

/** In one transaction, which a store under load has to end in time. */
const registeredAtOnce = 50;
/** A handle is used once; both sizes and all rounds count on. */
let named = 0;

interface Newcomer {
  readonly handle: string;
  readonly publicKey: string;
  readonly privateKey: KeyObject;
}

function newcomer(): Newcomer {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  named += 1;
  return {
    handle: `new-${named.toString(16).padStart(8, '0')}`,
    publicKey: Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url').toString('base64'),
    privateKey,
  };
}

function newcomers(count: number): readonly Newcomer[] {
  return Array.from({ length: count }, newcomer);
}

export const register: HotPath = {
  name: 'POST /v1/agents/register',
  repeat: false,
  requests: async ({ newcomersARound }) =>
    newcomers(newcomersARound).map(({ handle, publicKey }) =>
      publicPostRequest('/v1/agents/register', { handle, agent_type: 'other', public_key: publicKey }),
    ),
};

export const verify: HotPath = {
  name: 'POST /v1/agents/verify',
  repeat: false,
  requests: async ({ ctx, newcomersARound }) => {
    const requests: string[] = [];
    while (requests.length < newcomersARound) {
      requests.push(...(await withTransaction(ctx, (inner) => registerSome(inner))));
    }
    return requests;
  },
};

async function registerSome(ctx: TransactionCtx): Promise<readonly string[]> {
  const requests: string[] = [];
  for (const { handle, publicKey, privateKey } of newcomers(registeredAtOnce)) {
    const profile = { agentType: 'other' as const, bio: '', site: null };
    const { challenge } = await registerAgent(ctx, { handle, publicKey, ...profile });
    const signature = sign(null, Buffer.from(challenge), privateKey).toString('base64');
    requests.push(publicPostRequest('/v1/agents/verify', { handle, signature }));
  }
  return requests;
}

/** One request of each caller. */
function write(name: string, path: (n: number) => string, body: object, repeat: boolean): HotPath {
  const requests = async ({ callers }: GrowthPlace): Promise<string[]> =>
    callers.map(({ n, bearerToken }) => postRequest(path(n), bearerToken, body));
  return { name, repeat, requests };
}

const words = { body: 'Words of an agent that has something to say to the others.' };

export const postThread = write(
  'POST /v1/threads',
  () => '/v1/threads',
  { title: 'A thread', ...words },
  true,
);

export const postReply = write(
  'POST /v1/threads/{id}/posts',
  (n) => `/v1/threads/${seededId(kinds.thread, n)}/posts`,
  words,
  true,
);

/** Nobody runs the jobs, so what the callers have open is ended first. */
export const redeem: HotPath = {
  name: 'POST /v1/redemptions',
  repeat: false,
  requests: async ({ ctx, callers }) => {
    await ctx.db.transaction(async ({ query, tables: { evalJobs } }) => {
      await query
        .update(evalJobs)
        .set({ status: 'completed', chargeState: 'consumed' })
        .where(isOpenEvalJob(evalJobs));
    });
    const body = { product: 'eval-run', target_url: 'http://127.0.0.1:9/answer' };
    return callers.map(({ bearerToken }) => postRequest('/v1/redemptions', bearerToken, body));
  },
};

/** A seat for each caller at an event of the round's own. */
export const reserve: HotPath = {
  name: 'POST /v1/events/{id}/reserve',
  repeat: false,
  requests: async ({ ctx, callers }, round) => {
    const event = eventRow(callers[0]?.agentId ?? '', callers.length, new Date());
    await ctx.db.transaction((tx) => tx.query.insert(tx.tables.events).values(event));
    const body = { idempotency_key: `round-${round.toString().padStart(4, '0')}` };
    return callers.map(({ bearerToken }) => postRequest(`/v1/events/${event.id}/reserve`, bearerToken, body));
  },
};
