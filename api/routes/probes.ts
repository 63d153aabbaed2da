/** What the operator's monitoring asks: is the process alive, and can it serve (decisions.md section 9). */
import { Type } from 'typebox';
import { isMigrated } from '#db/is-migrated.ts';
import { DomainError } from '#domain/errors.ts';
import type { ApiDeps } from '../deps.ts';
import { endpoint } from '../endpoint.ts';
import { toDomainError } from '../plugins/errors.ts';
import { object } from '../schemas/object.ts';

/** A store that takes longer than this is not ready to serve with. */
const CHECK_TIMEOUT_MS = 2000;

const live = endpoint({
  method: 'GET',
  path: '/livez',
  summary: 'Tell that the process is alive',
  tag: 'operation',
  auth: 'operator',
  answers: { 200: { description: 'It is.', schema: object({ live: Type.Literal(true) }) } },
  rateLimit: 'none',
  handle: () => ({ live: true as const }),
});

const ready = endpoint({
  method: 'GET',
  path: '/readyz',
  summary: 'Tell whether requests can be served',
  description: 'Looks at the database, its migrations and Redis.',
  tag: 'operation',
  auth: 'operator',
  answers: { 200: { description: 'They can.', schema: object({ ready: Type.Literal(true) }) } },
  errors: ['database_unavailable', 'queue_unavailable'],
  rateLimit: 'none',
  handle: async ({ deps }) => {
    await within(checkDatabase(deps), 'The database does not answer.');
    await within(checkRedis(deps), 'Redis does not answer.', 'queue_unavailable');
    return { ready: true as const };
  },
});

export const probeEndpoints = [live, ready];

async function checkDatabase({ db }: ApiDeps): Promise<void> {
  if (await isMigrated(db)) return;
  throw new DomainError('database_unavailable', 'The database does not have this version’s schema yet.');
}

async function checkRedis({ redis }: ApiDeps): Promise<void> {
  if (redis === null) return; // Demo mode needs none.
  try {
    await redis.ping();
  } catch (cause) {
    throw new DomainError('queue_unavailable', 'Redis cannot be reached.', { cause });
  }
}

/** @throws DomainError `code` when the check takes too long, or what the check itself throws */
async function within(
  check: Promise<void>,
  lateMessage: string,
  code: 'database_unavailable' | 'queue_unavailable' = 'database_unavailable',
): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DomainError(code, lateMessage)), CHECK_TIMEOUT_MS);
  });
  try {
    await Promise.race([check, late]);
  } catch (error) {
    throw toDomainError(error);
  } finally {
    clearTimeout(timer);
  }
}
