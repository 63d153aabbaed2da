/** Replacing a key: both keys sign, the did changes, the agent keeps its rights, and the old key stays bound. */
import { expect, test } from 'bun:test';
import { closeAccount, startClosing } from '#domain/account/close-account.ts';
import { openOwnChallenge } from '#domain/account/own-challenge.ts';
import { rotateKey, startKeyRotation } from '#domain/account/rotate-key.ts';
import { findActingAgents, hashBearerToken } from '#domain/agents/token-bearers.ts';
import { findMaintainers, isMaintainer } from '#domain/agents/maintainers.ts';
import { listAgents } from '#domain/agents/list-agents.ts';
import { registerAgent } from '#domain/agents/register-agent.ts';
import { verifyChallenge } from '#domain/agents/verify-challenge.ts';
import {
  newKey,
  registration,
  signUp,
  type AgentKey,
  type SignedUpAgent,
  openLogin,
  openRotation,
  closeWithKey,
} from '#test/domain/agents/sign-up.ts';
import { useTestCtx } from '#test/harness/ctx.ts';
import { forEachStore } from '#test/harness/stores.ts';
import { codeOf, tally } from '../outcomes.ts';
import { openTwoProcesses } from '../two-processes.ts';

forEachStore((store) => {
  const race = openTwoProcesses(store);
  let names = 0;
  const ctx = useTestCtx(store);
  const newAgent = () => signUp(ctx, `rotating-${(names += 1)}`);
  const signed = (agent: SignedUpAgent, next: AgentKey, old = agent.key) =>
    openRotation(agent.ctx, old, next);
  const bearerOf = async (token: string) => {
    const hash = hashBearerToken(token);
    return (await findActingAgents(ctx.db, [hash])).get(hash)?.agent;
  };

  async function expectTaken(bob: SignedUpAgent, ...keys: readonly AgentKey[]): Promise<void> {
    for (const key of keys) {
      expect(await codeOf(startKeyRotation(bob.ctx, key))).toBe('key_taken');
      expect(await codeOf(registerAgent(ctx, registration('rotating-x', key)))).toBe('key_taken');
    }
  }

  test('the did changes, and only the token in use keeps working', async () => {
    const agent = await newAgent();
    const other = await verifyChallenge(ctx, await openLogin(ctx, agent));
    const late = await openLogin(ctx, agent);
    const next = newKey();
    const rotated = await rotateKey(agent.ctx, await signed(agent, next));
    expect(rotated.formerDids).toEqual([agent.agent.did]);
    expect(rotated.did).not.toBe(agent.agent.did);
    expect([await bearerOf(other.token), (await bearerOf(agent.token))?.did]).toEqual([
      undefined,
      rotated.did,
    ]);
    expect(await codeOf(verifyChallenge(ctx, late))).toBe('challenge_used');
    await verifyChallenge(ctx, await openLogin(ctx, { ...agent, key: next }));
  });

  test('the newest former dids are listed, and the one that makes it a maintainer', async () => {
    const agent = await newAgent();
    const dids = [agent.agent.did];
    const named = { ...ctx.rules, maintainerDids: new Set(dids) };
    let key = agent.key;
    for (let time = 0; time < 24; time += 1) {
      const next = newKey();
      const own = { ...agent.ctx, rules: named };
      const rotated = await rotateKey(own, await openRotation(own, key, next));
      key = next;
      dids.push(rotated.did);
      if (time === 23) expect(rotated.formerDids).toEqual([dids[0]!, ...dids.slice(4, 24)]);
    }
    expect((await findMaintainers({ ...ctx, rules: named })).map(({ handle }) => handle)).toEqual([
      agent.agent.handle,
    ]);
  });

  test('no challenge for the old key closes the account, not even one that was opened during the rotation', async () => {
    const agent = await newAgent();
    const next = newKey();
    const { challenge } = await startClosing(agent.ctx);
    await rotateKey(agent.ctx, await signed(agent, next));
    const close = (signature: string) => closeAccount(agent.ctx, signature);
    expect(await codeOf(close(agent.key.sign(challenge.challenge)))).toBe('challenge_expired');
    const { publicKey } = agent.key;
    const late = await openOwnChallenge(agent.ctx, { purpose: 'close', publicKey });
    expect(await codeOf(close(agent.key.sign(late.challenge)))).toBe('challenge_expired');
    expect(await closeWithKey(agent.ctx, next)).toBeNull();
  });

  test('both signatures are needed, over the challenge for this key', async () => {
    const agent = await newAgent();
    const [next, stranger] = [newKey(), newKey()];
    const right = await signed(agent, next);
    const attempts = [
      { ...right, oldSignature: right.newSignature },
      { ...right, newSignature: right.oldSignature },
      { ...right, oldSignature: stranger.sign('x') },
      { ...right, publicKey: stranger.publicKey },
    ];
    for (const attempt of attempts)
      expect(await codeOf(rotateKey(agent.ctx, attempt))).toBe('invalid_signature');
    expect(await codeOf(rotateKey(agent.ctx, { ...right, oldSignature: 'x' }))).toBe(
      'invalid_signature_encoding',
    );
    expect(await codeOf(rotateKey(agent.ctx, { ...right, publicKey: 'x' }))).toBe('invalid_public_key');
    expect(await codeOf(startKeyRotation(agent.ctx, { publicKey: 'x' }))).toBe('invalid_public_key');
    const outcomes = await tally(race(ctx, 4, (at) => rotateKey({ ...at, agent: agent.ctx.agent }, right)));
    expect(outcomes['ok']).toBe(1);
  });

  test('a key that has ever had an agent stays bound to it', async () => {
    const agent = await newAgent();
    const bob = await newAgent();
    const next = newKey();
    const prepared = await signed(bob, next);
    const registered = await registerAgent(ctx, registration(`rotating-${(names += 1)}`, next));
    await rotateKey(agent.ctx, await signed(agent, next));
    await expectTaken(bob, agent.key, next, bob.key);
    expect(await codeOf(rotateKey(bob.ctx, prepared))).toBe('key_taken');
    const late = { handle: registered.handle, signature: next.sign(registered.challenge) };
    expect(await codeOf(verifyChallenge(ctx, late))).toBe('key_taken');
    // Even after the key has been replaced.
    await rotateKey(agent.ctx, await signed(agent, newKey(), next));
    expect(await codeOf(verifyChallenge(ctx, late))).toBe('key_taken');
  });

  test('a replaced key stays bound to its agent after the account is closed, unlike the last one', async () => {
    const agent = await newAgent();
    const bob = await newAgent();
    const [next, last] = [newKey(), newKey()];
    const registered = await registerAgent(ctx, registration(`rotating-${(names += 1)}`, next));
    await rotateKey(agent.ctx, await signed(agent, next));
    await rotateKey(agent.ctx, await signed(agent, last, next));
    await closeWithKey(agent.ctx, last);
    await expectTaken(bob, agent.key, next);
    const late = { handle: registered.handle, signature: next.sign(registered.challenge) };
    expect(await codeOf(verifyChallenge(ctx, late))).toBe('key_taken');
    await signUp(ctx, `rotating-${(names += 1)}`, last);
  });

  test('a maintainer keeps its rights, and lookups work with every did and key', async () => {
    const agent = await newAgent();
    ctx.maintainerDids.add(agent.agent.did);
    const next = newKey();
    const { did } = await rotateKey(agent.ctx, await signed(agent, next));
    const acting = (await bearerOf(agent.token))!;
    expect(isMaintainer({ ...ctx, agent: acting })).toBe(true);
    expect((await findMaintainers(ctx)).map(({ handle }) => handle)).toEqual([agent.agent.handle]);
    for (const by of [
      { did },
      { did: agent.agent.did },
      { key: next.publicKey },
      { key: agent.key.publicKey },
      { did, key: agent.key.publicKey },
    ]) {
      const { items } = await listAgents(ctx, { limit: 10, cursor: null, ...by });
      expect(items.map(({ handle }) => handle)).toEqual([agent.agent.handle]);
    }
    const { items } = await listAgents(ctx, { limit: 10, cursor: null, key: newKey().publicKey });
    expect(items).toEqual([]);
  });
});
