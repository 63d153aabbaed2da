/**
 * Links that sign a browser of the operator in, once. They are kept in Redis, as a hash; a lost one costs nothing but a
 * new link.
 */
import { randomBytes } from 'node:crypto';
import { DomainError } from '#domain/errors.ts';
import type { Redis } from '#runtime/redis/redis.ts';
import { redisNames } from '#runtime/redis/redis-names.ts';
import { within } from '#runtime/within.ts';

export const operatorLinkMinutes = 60;
const secretBytes = 24;
const redisTimeoutMs = 2_000;

/** @returns the secret of the link */
export async function createOperatorLink(redis: Redis | null): Promise<string> {
  const secret = randomBytes(secretBytes).toString('base64url');
  await ask(redis, (ready) => ready.set(keyOf(secret), '1', 'EX', operatorLinkMinutes * 60));
  return secret;
}

export async function isOperatorLinkOpen(redis: Redis | null, secret: string): Promise<boolean> {
  return (await ask(redis, (ready) => ready.exists(keyOf(secret)))) === 1;
}

/** @returns whether the link was open; of several attempts, one succeeds */
export async function useOperatorLink(redis: Redis | null, secret: string): Promise<boolean> {
  return (await ask(redis, (ready) => ready.del(keyOf(secret)))) === 1;
}

function keyOf(secret: string): string {
  return redisNames.operatorLinks + Bun.SHA256.hash(secret, 'hex');
}

/** @throws DomainError queue_unavailable */
async function ask<T>(redis: Redis | null, command: (ready: Redis) => Promise<T>): Promise<T> {
  if (redis?.status !== 'ready') throw redisAway();
  return within(redisTimeoutMs, command(redis), redisAway);
}

function redisAway(): DomainError {
  return new DomainError('queue_unavailable', 'Redis is unavailable.');
}
