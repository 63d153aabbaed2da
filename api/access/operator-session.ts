/**
 * How a browser of the operator stays signed in: a cookie that the operator key signs. A new key ends all sessions, and
 * nothing is stored.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { DomainError } from '#domain/errors.ts';
import { redisNames } from '#runtime/redis/redis-names.ts';
import type { Redis } from '#runtime/redis/redis.ts';
import { within } from '#runtime/within.ts';

const sessionSeconds = 7 * 24 * 60 * 60;

interface OperatorSession {
  readonly operatorKey: string;
  /** Decides the name of the cookie: browsers drop `__Host-` cookies without `Secure`, and `Secure` ones on http. */
  readonly baseUrl: string;
  readonly now: Date;
}

export function hasOperatorCookie(
  { headers }: Pick<Request, 'headers'>,
  { operatorKey, baseUrl, now }: OperatorSession,
): boolean {
  const prefix = `${nameOf(baseUrl)}=`;
  return (headers.get('cookie') ?? '')
    .split(';')
    .map((cookie) => cookie.trim())
    .filter((cookie) => cookie.startsWith(prefix))
    .some((cookie) => {
      const [, expiry = '', signature = ''] =
        /^(\d{10})\.([\w-]{43})$/.exec(cookie.slice(prefix.length)) ?? [];
      if (signature === '' || Number(expiry) * 1_000 <= now.getTime()) return false;
      return timingSafeEqual(Buffer.from(signature), Buffer.from(sign(operatorKey, expiry)));
    });
}

/** @returns a value for `Set-Cookie` */
export function operatorCookie({ operatorKey, baseUrl, now }: OperatorSession): string {
  const expiry = String(Math.floor(now.getTime() / 1_000) + sessionSeconds);
  const secure = baseUrl.startsWith('https:') ? '; Secure' : '';
  return `${nameOf(baseUrl)}=${expiry}.${sign(operatorKey, expiry)}; Path=/; Max-Age=${sessionSeconds}; HttpOnly; SameSite=Strict${secure}`;
}

function nameOf(baseUrl: string): string {
  return baseUrl.startsWith('https:') ? '__Host-hub-operator' : 'hub-operator';
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
