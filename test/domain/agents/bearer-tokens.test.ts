/** Bearer tokens: listing, revoking, and the limit per agent. */
import { expect, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { findActingAgents, hashBearerToken, markTokensUsed } from '#domain/agents/token-bearers.ts';
import { issueBearerToken, listBearerTokens, revokeBearerToken } from '#domain/agents/bearer-tokens.ts';
import { type Ctx, withTransaction } from '#domain/context.ts';
import { createId } from '#runtime/create-id.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { codeOf } from '../outcomes.ts';
import { createTestCtx, signUp, type TestCtx } from './sign-up.ts';

const firstPage = { limit: 100, cursor: null };

/** Issues tokens a second apart, oldest first. */
async function issueMany(ctx: TestCtx, agentId: string, count: number): Promise<string[]> {
  const tokens: string[] = [];
  for (let i = 0; i < count; i += 1) {
    ctx.clock.advance(1_000);
    tokens.push(await withTransaction(ctx, (inner) => issueBearerToken(inner, agentId)));
  }
  return tokens;
}

async function isValid(ctx: Ctx, token: string): Promise<boolean> {
  const hash = hashBearerToken(token);
  return (await findActingAgents(ctx.db, [hash])).has(hash);
}

forEachStore((store) => {
  test('an agent lists its own valid tokens, newest first, page by page', async () => {
    const ctx = createTestCtx(store.db);
    const { agent, ctx: agentCtx } = await signUp(ctx);
    await signUp(ctx);
    await issueMany(ctx, agent.id, 4);
    const all = await listBearerTokens(agentCtx, firstPage);
    expect(all.items).toHaveLength(5);
    expect(all.nextCursor).toBeNull();
    expect(all.items.map(({ createdAt }) => createdAt.getTime())).toEqual(
      all.items.map(({ createdAt }) => createdAt.getTime()).toSorted((a, b) => b - a),
    );
    expect(all.items.at(-1)?.id).toBe(agentCtx.agent.tokenId);
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await listBearerTokens(agentCtx, { limit: 2, cursor });
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(seen).toEqual(all.items.map(({ id }) => id));
  });

  test('a revoked token stops working at once, leaves the list and cannot be revoked twice', async () => {
    const ctx = createTestCtx(store.db);
    const { agent, ctx: agentCtx, token } = await signUp(ctx);
    const [other] = await issueMany(ctx, agent.id, 1);
    const { tokenId } = agentCtx.agent;
    expect(await isValid(ctx, token)).toBe(true);
    await revokeBearerToken(agentCtx, { tokenId });
    expect(await isValid(ctx, token)).toBe(false);
    expect(await isValid(ctx, other!)).toBe(true);
    expect((await listBearerTokens(agentCtx, firstPage)).items.map(({ id }) => id)).not.toContain(tokenId);
    expect(await codeOf(revokeBearerToken(agentCtx, { tokenId }))).toBe('not_found');
  });

  test("revoking another agent's token fails like revoking an unknown one", async () => {
    const ctx = createTestCtx(store.db);
    const [mine, theirs] = [await signUp(ctx), await signUp(ctx)];
    const { tokenId } = theirs.ctx.agent;
    expect(await codeOf(revokeBearerToken(mine.ctx, { tokenId }))).toBe('not_found');
    expect(await codeOf(revokeBearerToken(mine.ctx, { tokenId: createId(new Date()) }))).toBe('not_found');
    expect(await isValid(ctx, theirs.token)).toBe(true);
  });

  test('a hundred tokens are valid; issuing one more revokes the least recently used', async () => {
    const ctx = createTestCtx(store.db);
    const { agent, token: first, ctx: agentCtx } = await signUp(ctx);
    const issued = await issueMany(ctx, agent.id, 99);
    expect((await listBearerTokens(agentCtx, firstPage)).items).toHaveLength(100);
    expect(await isValid(ctx, first)).toBe(true);
    // The first token is in use, so the second, which was never used, is revoked.
    ctx.clock.advance(1_000);
    await markTokensUsed(ctx, { tokenIds: [agentCtx.agent.tokenId], usedAt: ctx.clock.now() });
    const [latest] = await issueMany(ctx, agent.id, 1);
    expect((await listBearerTokens(agentCtx, firstPage)).items).toHaveLength(100);
    expect(await isValid(ctx, issued[0]!)).toBe(false);
    for (const valid of [first, issued[1]!, issued[98]!, latest!])
      expect(await isValid(ctx, valid)).toBe(true);
  });

  test('revoked tokens do not count towards the limit', async () => {
    const ctx = createTestCtx(store.db);
    const { agent, ctx: agentCtx, token } = await signUp(ctx);
    await issueMany(ctx, agent.id, 60);
    const { items } = await listBearerTokens(agentCtx, firstPage);
    for (const { id } of items.slice(0, 60)) await revokeBearerToken(agentCtx, { tokenId: id });
    await issueMany(ctx, agent.id, 60);
    expect(await isValid(ctx, token)).toBe(true);
  });

  test('only the requested tokens are looked up', async () => {
    const ctx = createTestCtx(store.db);
    const hashes = [(await signUp(ctx)).token, (await signUp(ctx)).token].map(hashBearerToken);
    await signUp(ctx);
    expect([...(await findActingAgents(ctx.db, hashes)).keys()].toSorted()).toEqual(hashes.toSorted());
    expect((await findActingAgents(ctx.db, [])).size).toBe(0);
  });

  test("an agent's tokens never displace another agent's", async () => {
    const ctx = createTestCtx(store.db);
    const quiet = await signUp(ctx);
    const busy = await signUp(ctx);
    await issueMany(ctx, busy.agent.id, 110);
    expect(await isValid(ctx, quiet.token)).toBe(true);
    expect(await isValid(ctx, busy.token)).toBe(false);
  });

  test('a revoked token is kept for 30 days and deleted when the next one is issued', async () => {
    const ctx = createTestCtx(store.db);
    const { agent, ctx: agentCtx } = await signUp(ctx);
    await revokeBearerToken(agentCtx, { tokenId: agentCtx.agent.tokenId });
    const { bearerTokens } = store.db.tables;
    const stored = () => store.db.query.select().from(bearerTokens).where(eq(bearerTokens.agentId, agent.id));
    ctx.clock.advance(30 * 24 * 60 * 60 * 1_000 - 1_000);
    await issueMany(ctx, agent.id, 1);
    expect(await stored()).toHaveLength(2);
    await issueMany(ctx, agent.id, 1);
    expect((await stored()).map(({ id }) => id)).not.toContain(agentCtx.agent.tokenId);
  });
});
