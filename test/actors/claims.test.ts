/** The claims that a process holds: taken together, and remembered up to a limit. */
import { expect, test } from 'bun:test';
import { createClaims } from '#actors/activation.ts';
import { epochOfNobody } from '#actors/actor-type.ts';
import { claimedPerTransactionMax, claimsKeptMax } from '#actors/limits.ts';

const epoch = 7;
const claimAll = async (actorIds: readonly string[]) => new Map(actorIds.map((actorId) => [actorId, epoch]));

test('actors that are activated at the same time are claimed in few transactions', async () => {
  const transactions: number[] = [];
  const claims = createClaims((actorIds) => {
    transactions.push(actorIds.length);
    return claimAll(actorIds);
  });
  const asked = Array.from({ length: claimedPerTransactionMax + 44 }, (_, actor) => claims.claim(`${actor}`));
  expect(new Set((await Promise.all(asked)).map((claim) => claim.epoch))).toEqual(new Set([epoch]));
  expect(transactions).toEqual([claimedPerTransactionMax, 44]);
});

test('a claim that fails is not remembered, nor one of an actor that does not exist', async () => {
  const failing = createClaims(() => Promise.reject(new Error('The store is away.')));
  await expect(failing.claim('a')).rejects.toThrow('The store is away.');
  expect(failing.get('a')).toBeUndefined();
  const empty = createClaims(async () => new Map());
  expect([(await empty.claim('a')).epoch, empty.get('a')]).toEqual([epochOfNobody, undefined]);
});

test('a process remembers only its latest claims', async () => {
  const claims = createClaims(claimAll);
  for (let actor = 0; actor <= claimsKeptMax; actor += 1) await claims.claim(`${actor}`);
  expect(['0', '1', `${claimsKeptMax}`].map((actor) => claims.get(actor)?.epoch)).toEqual([
    undefined,
    epoch,
    epoch,
  ]);
  claims.forget('1');
  expect(claims.get('1')).toBeUndefined();
});
