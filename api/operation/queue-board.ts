/**
 * The queue dashboard at /admin/queues. Bull Board's page and routes are served as endpoints of the hub, so
 * that the operator key, body limits, error format and request log apply to them too.
 */
import { Elysia } from 'elysia';
import { Type } from 'typebox';
import type { AppControllerRoute } from '@bull-board/api/typings/app';
import { DomainError } from '#domain/errors.ts';
import { edge, input, optionalInput, replies } from '../plugins/edge.ts';
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

export const queueBoardRoutes = new Elysia({ tags: ['operation'] })
  .use(pageAt(boardPath))
  // The page links to itself with a trailing slash.
  .use(
    ['/', ...[boardRoutes.page.route].flat().filter((route) => route !== '/')].map((route) =>
      pageAt(boardPath + route, { hidden: true }),
    ),
  )
  .use(filePaths.map((path) => fileAt(boardPath + path)))
  .use(
    boardRoutes.api.flatMap((route) =>
      [route.route]
        .flat()
        .flatMap((path) =>
          [route.method].flat().map((method) => callAt(method.toUpperCase(), boardPath + path, route)),
        ),
    ),
  );

function pageAt(path: string, { hidden = false } = {}) {
  return new Elysia().use(edge).get(
    path,
    ({ deps }) => {
      const { pathname } = new URL(deps.rules.baseUrl);
      return new Response(renderBoardPage(pathname.replace(/\/$/, '') + boardPath), {
        headers: {
          'content-type': 'text/html; charset=utf-8',
          'content-security-policy': boardContentSecurityPolicy,
        },
      });
    },
    {
      operator: true,
      ...paramsOf(path),
      response: replies({ 200: { description: 'The page.', contentType: 'text/html' } }),
      limit: 'none',
      hidden,
      detail: {
        summary: 'Open the queue dashboard',
        description: 'A web page that shows the jobs of every queue, pauses queues and retries jobs.',
      },
    },
  );
}

function fileAt(path: string) {
  return new Elysia().use(edge).get(
    path,
    ({ params }) => {
      const file = findBoardFile(Object.values(params).join('/'));
      if (file === null) throw new DomainError('not_found', 'The dashboard has no such file.');
      return new Response(file.content, {
        headers: { 'content-type': file.type, 'cache-control': fileCacheControl },
      });
    },
    {
      operator: true,
      ...paramsOf(path),
      response: replies({ 200: { description: 'The file.', contentType: '*/*' } }),
      errors: ['not_found'],
      limit: 'none',
      hidden: true,
      detail: { summary: 'Get a file of the dashboard' },
    },
  );
}

/** @param method one of the four that Bull Board uses */
function callAt(method: string, path: string, route: AppControllerRoute) {
  return new Elysia().use(edge).route(
    method,
    path,
    ({ deps, params, body, request }) => {
      const query = Object.fromEntries(new URLSearchParams(requestTargetOf(request).query));
      return callBoard(deps, route, { params, query, body });
    },
    {
      operator: true,
      ...paramsOf(path),
      ...(method === 'GET' ? {} : { body: optionalInput(Type.Record(Type.String(), Type.Unknown())) }),
      response: replies({
        200: { description: 'The response of Bull Board.', contentType: '*/*' },
        204: { description: 'Done.' },
      }),
      errors: ['queue_unavailable', 'not_found', 'invalid_parameter'],
      limit: 'none',
      hidden: true,
      detail: { summary: route.spec.summary },
    },
  );
}

function paramsOf(path: string) {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name ?? '');
  if (names.length === 0) return {};
  return { params: input(object(Object.fromEntries(names.map((name) => [name, Type.String()])))) };
}
