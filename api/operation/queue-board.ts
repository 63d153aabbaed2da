/**
 * The queue dashboard at /admin/queues: endpoints of the hub around Bull Board, so that the operator key, body limits,
 * error format and request log apply here too.
 */
import { Elysia } from 'elysia';
import { Type } from 'typebox';
import { edge, optionalInput, replies, textsIn } from '../plugins/edge.ts';
import { requestTargetOf } from '../request/input.ts';
import type { ApiDeps } from '../deps.ts';

const boardPath = '/admin/queues';
/** The methods of the paths below it, by their number of segments. */
const methodsByParts = [
  [1, ['GET']],
  [2, ['GET']],
  [3, ['GET', 'PUT']],
  [4, ['GET', 'PUT', 'POST']],
  [5, ['GET', 'PUT', 'PATCH']],
  [6, ['PUT']],
] as const;

export const queueBoardRoutes = new Elysia({ tags: ['operation'] })
  .use(edge)
  .get(boardPath, ({ deps, request }) => respond(deps, request), {
    operator: true,
    response: replies({ 200: { description: 'The page.', contentType: 'text/html' } }),
    limit: 'none',
    detail: {
      summary: 'Open the queue dashboard',
      description: 'A web page that shows the jobs of every queue, pauses queues and retries jobs.',
    },
  })
  // The page links to itself with a trailing slash.
  .use(endpointAt('GET', `${boardPath}/`))
  .use(
    methodsByParts.flatMap(([parts, methods]) => {
      const names = Array.from({ length: parts }, (_, at) => `/:part${at + 1}`);
      return methods.map((method) => endpointAt(method, boardPath + names.join('')));
    }),
  );

function endpointAt(method: string, path: string) {
  return new Elysia()
    .use(edge)
    .route(
      method,
      path,
      ({ deps, params, body, request }) => respond(deps, request, Object.values(params), body),
      {
        operator: true,
        ...textsIn(path),
        ...(method === 'GET' ? {} : { body: optionalInput(Type.Record(Type.String(), Type.Unknown())) }),
        response: replies({
          200: {
            description: 'The page, one of its files, or the response of Bull Board.',
            contentType: '*/*',
          },
          204: { description: 'Done.' },
        }),
        errors: ['queue_unavailable', 'not_found', 'invalid_parameter'],
        limit: 'none',
        hidden: true,
        detail: { summary: 'Use the queue dashboard' },
      },
    );
}

/** Bull Board takes 7 MB, and few operators open it, so it is loaded on the first request. */
async function respond(
  deps: ApiDeps,
  request: Request,
  segments: readonly string[] = [],
  body: unknown = null,
): Promise<Response> {
  const { openBoard } = await import('./bull-board.ts');
  const query = Object.fromEntries(new URLSearchParams(requestTargetOf(request).query));
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  return openBoard(deps, { method, segments, query, body, boardPath });
}
