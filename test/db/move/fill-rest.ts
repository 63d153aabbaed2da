/** Rows for the tables that open work leaves empty, so that a move is tried with every table. */
import { eq } from 'drizzle-orm';
import { rotateKey } from '#domain/account/rotate-key.ts';
import { claimBackup, endBackup } from '#domain/backups/claim-backup.ts';
import { withTransaction } from '#domain/context.ts';
import { issueCredential } from '#domain/credentials/issue-credential.ts';
import { markThreadRead } from '#domain/forum/thread-reads.ts';
import { countStored } from '#domain/storage/count-stored.ts';
import { freezeHub, unfreezeHub } from '#domain/freeze/freeze-hub.ts';
import { claimKey, storeResponse } from '#domain/idempotency/claim-key.ts';
import { approveRequest } from '#domain/oauth/decide-request.ts';
import { exchangeCode } from '#domain/oauth/issue-grant.ts';
import { openRequest } from '#domain/oauth/open-request.ts';
import { refreshGrant } from '#domain/oauth/refresh-grant.ts';
import { registerClient } from '#domain/oauth/registered-clients.ts';
import { changeMaintainer, changeSetting } from '#domain/settings/change-setting.ts';
import { publishSkill, updateSkill } from '#domain/skills/publish-skill.ts';
import { commentOnWorkOrder } from '#domain/work-orders/comment-on-work-order.ts';
import { proposeWorkOrder } from '#domain/work-orders/propose-work-order.ts';
import { createId } from '#runtime/create-id.ts';
import { closeWithKey, newKey, openRotation, signUp } from '#test/domain/agents/sign-up.ts';
import { handle as handleSeats } from '#test/domain/events/run-commands.ts';
import { completeAgentRun } from '#test/harness/agent-runs.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { actingAs, type TestCtx } from '#test/harness/ctx.ts';
import { createTestEvent } from '#test/harness/events.ts';

/** @returns the access token of the OAuth grant that `agent` gave */
export async function fillRest(ctx: TestCtx, agent: TestAgent, threadId: string): Promise<string> {
  const own = actingAs(ctx, agent);
  await changeKeys(ctx);
  await fillOwnRows(ctx, agent);
  await fillEvent(ctx, agent);
  const { id: runId } = await completeAgentRun(own);
  const urls = {
    credential: (id: string) => `https://hub.test/${id}`,
    statusList: (n: number) => `https://hub.test/${n}`,
  };
  // Made by a hub that has a secret key.
  const rules = { ...ctx.rules, secretKey: 'a key of the tests of moves, not secret' };
  await issueCredential({ ...ctx, rules }, { runId, viewer: agent, urls });
  await markThreadRead(own, { threadId, position: 1 });
  const repository = { repoUrl: 'https://git.example/x', manifestUrl: null };
  await publishSkill(own, { name: 'moves', description: 'x', ...repository });
  await updateSkill(own, { name: 'moves', versionNote: 'The second' });
  const order = await proposeWorkOrder(own, { title: 'Commented', description: 'x' });
  await commentOnWorkOrder(own, { workOrderId: order.id, body: 'I can do this.' });
  await fillOperation(ctx);
  return grantAccess(ctx, agent);
}

async function changeKeys(ctx: TestCtx): Promise<void> {
  const rotated = await signUp(ctx, 'rotated');
  await rotateKey(rotated.ctx, await openRotation(rotated.ctx, rotated.key, newKey()));
  const gone = await signUp(ctx, 'gone-away');
  await closeWithKey(gone.ctx, gone.key);
}

async function fillOwnRows(ctx: TestCtx, agent: TestAgent): Promise<void> {
  const own = actingAs(ctx, agent);
  const agentId = agent.id;
  const now = ctx.clock.now();
  for (const key of ['running', 'done']) {
    const claimed = await claimKey(own, { route: 'POST /v1/threads', key, requestHash: 'hash' });
    if (!('claim' in claimed) || key === 'running') continue;
    const response = { status: 201, body: { text: 'é "quoted"' } };
    await withTransaction(ctx, (inner) => storeResponse(inner, claimed.claim, response));
  }
  await withTransaction(ctx, async ({ db: { query, tables } }) => {
    const card = { url: 'https://mover.example', name: 'Mover', interfaces: [], signature: 'none' } as const;
    await query.insert(tables.agentCards).values({ agentId, ...card, skills: [], checkedAt: now });
    await query
      .update(tables.agents)
      .set({ allowancePeriod: 3, allowanceAt: now })
      .where(eq(tables.agents.id, agentId));
    const issued = { issuer: 'https://other.example', host: 'other.example', hash: 'x'.repeat(64) };
    const credential = { validFrom: now.toISOString(), credentialSubject: { score: 1 / 3 } };
    await query
      .insert(tables.agentCredentials)
      .values({ id: createId(now), agentId, ...issued, credential, validUntil: null, createdAt: now });
  });
}

async function fillEvent(ctx: TestCtx, agent: TestAgent): Promise<void> {
  const { id: eventId } = await createTestEvent(ctx, { seatsTotal: 1, tokenPrice: 0 });
  const first = await createTestAgent(ctx);
  const reserve = { kind: 'reserve-seat', agentId: first.id, agentHandle: first.handle, key: 'k' } as const;
  await handleSeats(ctx, eventId, reserve, { kind: 'join-waitlist', agentId: agent.id });
  await withTransaction(ctx, ({ db }) =>
    db.query.insert(db.tables.bookingNotices).values({ eventId, agentId: first.id, sentAt: ctx.clock.now() }),
  );
}

async function fillOperation(ctx: TestCtx): Promise<void> {
  await changeSetting(ctx, { name: 'ALLOWANCE_DAYS', value: '9' });
  const named = await createTestAgent(ctx, { handle: 'named' });
  await changeMaintainer(ctx, { did: named.did, isMaintainer: true });
  const claimed = await claimBackup(ctx, { everyMs: 3_600_000, machine: 'one' });
  if (!('id' in claimed)) throw new Error('The first backup is due.');
  await endBackup(ctx, { id: claimed.id, file: '/backups/hub.sqlite', bytes: 2 ** 40, failure: null });
  await freezeHub(ctx, { reason: 'Before the move' });
  await unfreezeHub(ctx);
  const storage = { agentMbPerDay: 1, networkMbPerDay: 0 };
  const storedBy = { agentId: named.id, network: null };
  await ctx.db.transaction((db) =>
    countStored({ db, clock: ctx.clock, rules: { storage } }, storedBy, { bytes: 1, textBytes: 0 }),
  );
}

async function grantAccess(ctx: TestCtx, agent: TestAgent): Promise<string> {
  const redirectUri = 'http://127.0.0.1/back';
  const metadata = { client_name: 'A client', redirect_uris: [redirectUri] };
  const client = await registerClient(ctx, { metadata });
  const codeVerifier = 'v'.repeat(43);
  const codeChallenge = Buffer.from(Bun.SHA256.hash(codeVerifier, 'hex'), 'hex').toString('base64url');
  const challenge = { codeChallenge, codeChallengeMethod: 'S256' };
  const parameters = { responseType: 'code', scope: null, state: 'é', ...challenge, resource: null };
  // One waits for consent.
  await openRequest(ctx, { client, redirectUri, parameters });
  const secret = await openRequest(ctx, { client, redirectUri, parameters });
  const back = new URL(await approveRequest(actingAs(ctx, agent), { secret }));
  const code = back.searchParams.get('code') ?? '';
  const asClient = { clientId: client.id, resource: null };
  const grant = await exchangeCode(ctx, { code, codeVerifier, redirectUri, ...asClient });
  const { refreshToken } = grant;
  await refreshGrant(ctx, { refreshToken, scope: null, ...asClient });
  // The refresh has replaced it, and it works on.
  return grant.accessToken;
}
