/** Bearer tokens: listing, revoking, their form and the limit per agent; and which challenges are tried and pruned. */
import { expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import * as fc from 'fast-check';
import * as limits from '#domain/agents/agent-limits.ts';
import {
  issueBearerToken,
  listBearerTokens,
  requireValidToken,
  revokeBearerToken,
} from '#domain/agents/bearer-tokens.ts';
import { pruneChallenges } from '#domain/agents/challenges.ts';
import { startLogin } from '#domain/agents/start-login.ts';
import {
  createBearerToken,
  findActingAgents,
  hashBearerToken,
  isWellFormedBearerToken,
  markTokensUsed,
} from '#domain/agents/token-bearers.ts';
import { verifyChallenge } from '#domain/agents/verify-challenge.ts';
import { type Ctx, withTransaction } from '#domain/context.ts';
import { createId } from '#runtime/create-id.ts';
import type { TestCtx } from '#test/harness/ctx.ts';
import { rowOf, rowsOf } from '#test/harness/rows.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { useFreshCtx } from '#test/harness/use-agent-ctx.ts';
import { allPages, codeOf } from '../outcomes.ts';
import { openRegistration, signUp } from './sign-up.ts';

const firstPage = { limit: 100, cursor: null };
const dayMs = 24 * 60 * 60 * 1_000;

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
  const ctx = useFreshCtx(store);

  test('an agent lists its own valid tokens, newest first, page by page', async () => {
    const { agent, ctx: agentCtx } = await signUp(ctx);
    await signUp(ctx);
    await issueMany(ctx, agent.id, 4);
    const all = await listBearerTokens(agentCtx, firstPage);
    expect(all.items).toHaveLength(5);
    expect(all.nextCursor).toBeNull();
    const issuedAt = all.items.map(({ createdAt }) => createdAt.getTime());
    expect(issuedAt).toEqual(issuedAt.toSorted((a, b) => b - a));
    expect(all.items.at(-1)?.id).toBe(agentCtx.agent.tokenId);
    const pages = await allPages((cursor) => listBearerTokens(agentCtx, { limit: 2, cursor }));
    expect(pages.flat()).toEqual([...all.items]);
  });

  test('a revoked token stops working at once, leaves the list and cannot be revoked twice', async () => {
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
    const [mine, theirs] = [await signUp(ctx), await signUp(ctx)];
    const { tokenId } = theirs.ctx.agent;
    expect(await codeOf(revokeBearerToken(mine.ctx, { tokenId }))).toBe('not_found');
    expect(await codeOf(revokeBearerToken(mine.ctx, { tokenId: createId(new Date()) }))).toBe('not_found');
    expect(await isValid(ctx, theirs.token)).toBe(true);
  });

  test('a hundred tokens are valid; issuing one more revokes the least recently used of the same agent', async () => {
    const quiet = await signUp(ctx);
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
    for (const valid of [first, issued[1]!, issued[98]!, latest!, quiet.token])
      expect(await isValid(ctx, valid)).toBe(true);
  });

  test('revoked tokens do not count towards the limit', async () => {
    const { agent, ctx: agentCtx, token } = await signUp(ctx);
    await issueMany(ctx, agent.id, 60);
    const { items } = await listBearerTokens(agentCtx, firstPage);
    for (const { id } of items.slice(0, 60)) await revokeBearerToken(agentCtx, { tokenId: id });
    await issueMany(ctx, agent.id, 60);
    expect(await isValid(ctx, token)).toBe(true);
  });

  test('only the requested tokens are looked up', async () => {
    const hashes = [(await signUp(ctx)).token, (await signUp(ctx)).token].map(hashBearerToken);
    await signUp(ctx);
    expect([...(await findActingAgents(ctx.db, hashes)).keys()].toSorted()).toEqual(hashes.toSorted());
    expect((await findActingAgents(ctx.db, [])).size).toBe(0);
  });

  test('a revoked token is kept for 30 days and deleted when its agent is issued the next one', async () => {
    const { agent, ctx: agentCtx } = await signUp(ctx);
    const quiet = await signUp(ctx);
    for (const one of [agentCtx, quiet.ctx]) await revokeBearerToken(one, { tokenId: one.agent.tokenId });
    const stored = ({ id }: { readonly id: string }) => rowsOf(ctx, 'bearerTokens', { agentId: id });
    ctx.clock.advance(30 * dayMs - 1_000);
    await issueMany(ctx, agent.id, 1);
    expect(await stored(agent)).toHaveLength(2);
    await issueMany(ctx, agent.id, 1);
    expect((await stored(agent)).map(({ id }) => id)).not.toContain(agentCtx.agent.tokenId);
    expect(await stored(quiet.agent)).toMatchObject([{ id: quiet.ctx.agent.tokenId }]);
  });

  test('while a challenge is open, the last 64 closed ones are recognised and older ones are not', async () => {
    const { agent, key } = await signUp(ctx);
    const { handle } = agent;
    const signatures: string[] = [];
    for (let login = 0; login <= limits.closedChallengesTriedMax; login += 1) {
      ctx.clock.advance(1_000);
      const { challenge } = await startLogin(ctx, { handle });
      signatures.push(key.sign(challenge));
      await verifyChallenge(ctx, { handle, signature: signatures[login]! });
    }
    ctx.clock.advance(1_000);
    const { challenge } = await startLogin(ctx, { handle });
    const [oldest, ...later] = signatures;
    const codeFor = (signature: string) => codeOf(verifyChallenge(ctx, { handle, signature }));
    expect(await codeFor(oldest!)).toBe('invalid_signature');
    for (const signature of later) expect(await codeFor(signature)).toBe('challenge_used');
    expect((await verifyChallenge(ctx, { handle, signature: key.sign(challenge) })).agent).toEqual(agent);
  });

  test('at most a thousand challenges are pruned at a time', async () => {
    const { challenges } = store.db.tables;
    await store.db.transaction((tx) => tx.query.delete(challenges));
    await openRegistration(ctx);
    const [row] = await store.db.query.select().from(challenges);
    const old = new Date(ctx.clock.now().getTime() - 2 * dayMs);
    const rows = Array.from({ length: 1_001 }, (_, index) => ({
      ...row!,
      id: createId(old),
      handle: `old-${index}`,
      expiresAt: old,
    }));
    await store.db.transaction((tx) => tx.query.insert(challenges).values(rows));
    for (const pruned of [1_000, 1, 0]) expect(await pruneChallenges(ctx)).toBe(pruned);
    expect(await store.db.query.select().from(challenges)).toEqual([row!]);
  });

  test('the latest use of a token wins, even if an earlier use is recorded later', async () => {
    const [one, other] = [await signUp(ctx), await signUp(ctx)];
    const tokenIds = [one.ctx.agent.tokenId];
    const lastUseOf = async (id: string) => (await rowOf(ctx, 'bearerTokens', { id })).lastUsedAt;
    const first = ctx.clock.now();
    const second = new Date(first.getTime() + 1);
    await markTokensUsed(ctx, { tokenIds: [], usedAt: first });
    expect(await lastUseOf(tokenIds[0]!)).toBeNull();
    await markTokensUsed(ctx, { tokenIds, usedAt: first });
    expect(await lastUseOf(tokenIds[0]!)).toEqual(first);
    await markTokensUsed(ctx, { tokenIds, usedAt: second });
    await markTokensUsed(ctx, { tokenIds, usedAt: first });
    expect(await lastUseOf(tokenIds[0]!)).toEqual(second);
    expect(await lastUseOf(other.ctx.agent.tokenId)).toBeNull();
  });

  test('of tokens issued at the same instant the first is revoked', async () => {
    const { agent, ctx: agentCtx } = await signUp(ctx);
    for (let token = 0; token < 100; token += 1) {
      await requireValidToken(agentCtx);
      await withTransaction(ctx, (inner) => issueBearerToken(inner, agent.id));
    }
    expect(await codeOf(requireValidToken(agentCtx))).toBe('invalid_token');
  });
});

const base62Digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

function toBase62(value: bigint, digits: number): string {
  const places = Array.from({ length: digits }, (_, place) => 62n ** BigInt(digits - 1 - place));
  return places.map((weight) => base62Digits[Number((value / weight) % 62n)]).join('');
}

function fromBase62(text: string): bigint {
  return Array.from(text).reduce((value, digit) => value * 62n + BigInt(base62Digits.indexOf(digit)), 0n);
}

/** Builds a token with the given random part and a valid checksum. */
function tokenFor(random: bigint): string {
  const body = `hub_${toBase62(random, 43)}`;
  return body + toBase62(BigInt(crc32(body)), 6);
}

test('tokens are well formed, hold 256 bits and are unique', () => {
  const tokens = Array.from({ length: 5000 }, createBearerToken);
  expect(new Set(tokens).size).toBe(tokens.length);
  let everyBit = 0n;
  for (const token of tokens) {
    expect(token).toMatch(/^hub_[0-9A-Za-z]{49}$/);
    expect(isWellFormedBearerToken(token)).toBe(true);
    const random = fromBase62(token.slice(4, 47));
    expect(token).toBe(tokenFor(random));
    everyBit |= random;
  }
  expect(everyBit).toBe(2n ** 256n - 1n);
});

test('every 256-bit number gives a well-formed token, and the next number does not', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), (random) => {
      expect(isWellFormedBearerToken(tokenFor(random))).toBe(true);
    }),
  );
  expect(isWellFormedBearerToken(tokenFor(0n))).toBe(true);
  expect(isWellFormedBearerToken(tokenFor(2n ** 256n - 1n))).toBe(true);
  expect(isWellFormedBearerToken(tokenFor(2n ** 256n))).toBe(false);
  expect(isWellFormedBearerToken(tokenFor(62n ** 43n - 1n))).toBe(false);
});

test('changed, swapped, added and missing characters invalidate any token', () => {
  const change = fc.record({ at: fc.nat(52), character: fc.constantFrom(...Array.from(base62Digits)) });
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), change, (random, { at, character }) => {
      const token = tokenFor(random);
      const [head, here, tail] = [token.slice(0, at), token.charAt(at), token.slice(at + 1)];
      const variants = [head + character + tail, head + tail, head + character + here + tail];
      variants.push(head + tail.charAt(0) + here + tail.slice(1));
      for (const variant of variants) {
        if (variant !== token) expect(isWellFormedBearerToken(variant)).toBe(false);
      }
    }),
    { numRuns: 500 },
  );
});

test('no other text is a valid token', () => {
  const token = createBearerToken();
  for (const text of [
    '',
    'hub_',
    `${token}\n`,
    ` ${token}`,
    `Bearer ${token}`,
    token.toLowerCase(),
    token.replace('hub_', 'HUB_'),
    token.repeat(2),
    'A'.repeat(1_000_000),
  ]) {
    expect(isWellFormedBearerToken(text)).toBe(false);
  }
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => !isWellFormedBearerToken(text)));
});

test('the stored hash is the SHA-256 in lower-case hex', () => {
  expect(hashBearerToken('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  const token = createBearerToken();
  expect(hashBearerToken(token)).toBe(createHash('sha256').update(token, 'utf8').digest('hex'));
});
