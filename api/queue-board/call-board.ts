/** Calls a Bull Board route on the hub's queues, with a timeout, and converts its errors to the hub's. */
import type { AppControllerRoute, BullBoardQueues } from '@bull-board/api/typings/app';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { DomainError } from '#domain/errors.ts';
import { within } from '#runtime/within.ts';
import type { ApiDeps } from '../deps.ts';
import { queueNames } from '#domain/jobs/job-kinds.ts';
import { openQueues } from '#runtime/jobs/inspect-queue.ts';
import type { Redis } from '#runtime/redis/redis.ts';
import type { Logger } from '#runtime/tracing/log.ts';
import { boardRoutes } from './board-routes.ts';

/** BullMQ itself would wait for Redis forever. */
const callTimeoutMs = 10_000;

export interface BoardCall {
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** @throws DomainError queue_unavailable, not_found or invalid_parameter */
export async function callBoard(
  deps: ApiDeps,
  route: AppControllerRoute,
  { params, query, body }: BoardCall,
): Promise<Response> {
  const { redis, logger } = deps;
  if (redis?.status !== 'ready') throw queueUnavailable();
  const { uiConfig } = boardRoutes;
  // The route validates query and body with its own schemas.
  const request = {
    queues: boardQueuesOf(redis, logger),
    uiConfig,
    params,
    query,
    body: (body ?? {}) as Record<string, unknown>,
    headers: {},
  };
  const result = await within(callTimeoutMs, handle(route, request), queueUnavailable);
  const status = result.status ?? 200;
  if (status >= 400) throw errorOf(status, result.body);
  if (status === 204) return new Response(null, { status });
  return typeof result.body === 'string'
    ? new Response(result.body, { status })
    : Response.json(result.body, { status });
}

const boardQueues = new WeakMap<Redis, BullBoardQueues>();

function boardQueuesOf(redis: Redis, logger: Logger): BullBoardQueues {
  const known = boardQueues.get(redis);
  if (known !== undefined) return known;
  const queues = openQueues(redis, queueNames, logger);
  const made: BullBoardQueues = new Map(queues.map((queue) => [queue.name, new BullMQAdapter(queue)]));
  boardQueues.set(redis, made);
  return made;
}

async function handle(
  route: AppControllerRoute,
  request: Parameters<AppControllerRoute['handler']>[0],
): Promise<Awaited<ReturnType<AppControllerRoute['handler']>>> {
  try {
    return await route.handler(request);
  } catch (error) {
    // BullMQ's scripts reject with negative codes, e.g. for a job that has changed state in the meantime.
    if (error instanceof Error && 'code' in error && typeof error.code === 'number' && error.code < 0) {
      throw new DomainError('invalid_parameter', `The queue rejected the command: ${error.message}`, {
        cause: error,
      });
    }
    throw error;
  }
}

function errorOf(status: number, body: unknown): DomainError {
  const detail = JSON.stringify(body);
  if (status === 404) return new DomainError('not_found', 'There is no such queue or job.', { detail });
  if (status < 500)
    return new DomainError('invalid_parameter', 'The queue does not accept this command.', { detail });
  return new DomainError('internal_error', 'The queue could not be read.', { cause: new Error(detail) });
}

function queueUnavailable(): DomainError {
  return new DomainError('queue_unavailable', 'Redis is unavailable.');
}
