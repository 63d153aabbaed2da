/**
 * How a browser of the operator stays signed in: a cookie that the operator key signs. A new key ends all sessions, and
 * nothing is stored.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { DomainError } from '#domain/errors.ts';
import { redisNames } from '#runtime/redis/redis-names.ts';
import type { Redis } from '#runtime/redis/redis.ts';
import { within } from '#runtime/within.ts';
import { makeCookie, readCookies } from './cookies.ts';

const name = 'hub-operator';
const seconds = 7 * 24 * 60 * 60;

interface OperatorSession {
  readonly operatorKey: string;
  readonly baseUrl: string;
  readonly now: Date;
}

export function hasOperatorCookie(
  request: Pick<Request, 'headers'>,
  { operatorKey, baseUrl, now }: OperatorSession,
): boolean {
  return readCookies(request, baseUrl, name).some((cookie) => {
    const [, expiry = '', signature = ''] = /^(\d{10})\.([\w-]{43})$/.exec(cookie) ?? [];
    if (signature === '' || Number(expiry) * 1_000 <= now.getTime()) return false;
    return timingSafeEqual(Buffer.from(signature), Buffer.from(sign(operatorKey, expiry)));
  });
}

/** @returns a value for `Set-Cookie` */
export function operatorCookie({ operatorKey, baseUrl, now }: OperatorSession): string {
  const expiry = String(Math.floor(now.getTime() / 1_000) + seconds);
  const value = `${expiry}.${sign(operatorKey, expiry)}`;
  return makeCookie(baseUrl, { name, value, seconds, sameSite: 'Strict' });
}

function sign(operatorKey: string, expiry: string): string {
  return createHmac('sha256', operatorKey).update(`operator session until ${expiry}`).digest('base64url');
}

export const operatorLinkMinutes = 60;
const secretBytes = 24;
const redisTimeoutMs = 2_000;

/**
 * A link signs a browser of the operator in, once. Redis keeps a hash of it; if that is lost, the operator asks for
 * another link.
 * @returns the secret of the link
 */
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
