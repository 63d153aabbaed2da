/**
 * The queue dashboard at /admin/queues. Bull Board's page and routes are served as endpoints of the hub, so
 * that the operator key, body limits, error format and request log apply to them too.
 */
import { Type } from 'typebox';
import type { AppControllerRoute } from '@bull-board/api/typings/app';
import { DomainError } from '#domain/errors.ts';
import { type Endpoint, endpoint, type Method } from '../endpoint.ts';
import { requestTargetOf } from '../request/request-head.ts';
import {
  boardContentSecurityPolicy,
  boardRoutes,
  callBoard,
  findBoardFile,
  renderBoardPage,
} from '../queue-board.ts';
import { object } from '../schemas/object.ts';

const boardPath = '/admin/queues';
/** File names change with their content. */
const fileCacheControl = 'private, max-age=3600';
/** The dashboard's folders are at most this deep. */
const filePaths = ['/static/:one', '/static/:one/:two', '/static/:one/:two/:three'];

export const queueBoardEndpoints: readonly Endpoint[] = [
  pageAt(boardPath, {}),
  // The page links to itself with a trailing slash.
  pageAt(`${boardPath}/`, { hidden: true }),
  ...[boardRoutes.page.route]
    .flat()
    .filter((route) => route !== '/')
    .map((route) => pageAt(boardPath + route, { hidden: true })),
  ...filePaths.map((path) => fileAt(boardPath + path)),
  ...boardRoutes.api.flatMap((route) =>
    [route.route].flat().flatMap((path) =>
      [route.method].flat().map((method) =>
        // All four methods that Bull Board uses are methods of the hub.
        callAt(method.toUpperCase() as Method, boardPath + path, route),
      ),
    ),
  ),
];

function pageAt(path: string, hidden: { hidden?: true }): Endpoint {
  return endpoint({
    method: 'GET',
    path,
    summary: 'Open the queue dashboard',
    description: 'A web page that shows the jobs of every queue, pauses queues and retries jobs.',
    tag: 'operation',
    auth: 'operator',
    ...paramsOf(path),
    responses: { 200: { description: 'The page.', contentType: 'text/html' } },
    rateLimit: 'none',
    ...hidden,
    handle: ({ deps }) => {
      const { pathname } = new URL(deps.rules.baseUrl);
      return new Response(renderBoardPage(pathname.replace(/\/$/, '') + boardPath), {
        headers: {
          'content-type': 'text/html; charset=utf-8',
          'content-security-policy': boardContentSecurityPolicy,
        },
      });
    },
  });
}

function fileAt(path: string): Endpoint {
  return endpoint({
    method: 'GET',
    path,
    summary: 'Get a file of the dashboard',
    tag: 'operation',
    auth: 'operator',
    ...paramsOf(path),
    responses: { 200: { description: 'The file.', contentType: '*/*' } },
    errors: ['not_found'],
    rateLimit: 'none',
    hidden: true,
    handle: ({ params }) => {
      const file = findBoardFile(Object.values(params).join('/'));
      if (file === null) throw new DomainError('not_found', 'The dashboard has no such file.');
      return new Response(file.content, {
        headers: { 'content-type': file.type, 'cache-control': fileCacheControl },
      });
    },
  });
}

function callAt(method: Method, path: string, route: AppControllerRoute): Endpoint {
  return endpoint({
    method,
    path,
    summary: route.spec.summary,
    tag: 'operation',
    auth: 'operator',
    ...paramsOf(path),
    ...(method === 'GET' ? {} : { body: Type.Record(Type.String(), Type.Unknown()), bodyOptional: true }),
    responses: {
      200: { description: 'The response of Bull Board.', contentType: '*/*' },
      204: { description: 'Done.' },
    },
    errors: ['queue_unavailable', 'not_found', 'invalid_parameter'],
    rateLimit: 'none',
    hidden: true,
    handle: ({ deps, params, body, request }) => {
      const query = Object.fromEntries(new URLSearchParams(requestTargetOf(request).query));
      return callBoard(deps, route, { params, query, body });
    },
  });
}

function paramsOf(path: string) {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name ?? '');
  if (names.length === 0) return {};
  return { params: object(Object.fromEntries(names.map((name) => [name, Type.String()]))) };
}
