/**
 * The queue dashboard at /admin/queues. Bull Board's page and routes are served as endpoints of the hub, so
 * that the operator key, body limits, error format and request log apply to them too.
 */
import { Elysia } from 'elysia';
import { Type } from 'typebox';
import type { AppControllerRoute, AppViewRoute, IServerAdapter, UIConfig } from '@bull-board/api/typings/app';
import { DomainError, invariant } from '#domain/errors.ts';
import { edge, optionalInput, replies, textsIn } from '../plugins/edge.ts';
import { requestTargetOf } from '../request/input.ts';
import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { queueNames } from '#domain/jobs/job-kinds.ts';
import { openQueue } from '#runtime/jobs/open-queue.ts';
import { packageFolder } from '#runtime/project-files.ts';
import { within } from '#runtime/within.ts';
import type { ApiDeps } from '../deps.ts';

/**
 * Bull Board's routes without a server. This adapter only collects the routes that the library registers, so
 * that each becomes an endpoint of the hub.
 */
interface BoardRoutes {
  readonly page: AppViewRoute;
  readonly api: readonly AppControllerRoute[];
  readonly uiConfig: UIConfig;
}

const uiPackage = packageFolder('@bull-board/ui');

/** The page template, and the folder of the files that the page loads. */
const boardTemplateFile = join(uiPackage, 'dist', 'index.ejs');
const boardFilesFolder = join(uiPackage, 'dist', 'static');

const boardRoutes = collectRoutes();

function collectRoutes(): BoardRoutes {
  let page: AppViewRoute | undefined;
  let api: readonly AppControllerRoute[] = [];
  let uiConfig: UIConfig = {};
  const adapter: IServerAdapter = {
    setQueues: () => adapter,
    setViewsPath: () => adapter,
    setStaticPath: () => adapter,
    setErrorHandler: () => adapter,
    setEntryRoute: (route) => {
      page = route;
      return adapter;
    },
    setApiRoutes: (routes) => {
      api = routes;
      return adapter;
    },
    setUIConfig: (config) => {
      uiConfig = config;
      return adapter;
    },
  };
  createBullBoard({
    queues: [],
    serverAdapter: adapter,
    options: { uiBasePath: uiPackage, uiConfig: { boardTitle: 'Agent Hub queues' } },
  });
  invariant(page !== undefined, 'Bull Board registers a page.');
  return { page, api, uiConfig };
}

/** The template loads fonts from Google. Without these links the page uses system fonts. */
const fromElsewhere = /<link\b[^>]*\bhref="https?:[^>]*>\s*/g;

/** Bull Board writes style attributes. Everything else comes from the hub itself. */
const boardContentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

let template: string | undefined;

/** @param basePath the path of the dashboard as the browser sees it */
function renderBoardPage(basePath: string): string {
  template ??= readFileSync(boardTemplateFile, 'utf8').replaceAll(fromElsewhere, '');
  const { params } = boardRoutes.page.handler({ basePath, uiConfig: boardRoutes.uiConfig });
  const page = template
    .replaceAll(/<%=\s*(\w+)\s*%>/g, (_, name: string) => Bun.escapeHTML(params[name] ?? ''))
    // Bull Board has already escaped these values for a script element.
    .replaceAll(/<%-\s*(\w+)\s*%>/g, (_, name: string) => params[name] ?? '');
  invariant(!page.includes('<%'), 'The Bull Board template contains only values.');
  return page;
}

let files: ReadonlyMap<string, string> | undefined;

/** @returns null unless the path names one of the page's files, whatever it resolves to */
function findBoardFile(path: string): Blob | null {
  files ??= new Map(
    readdirSync(boardFilesFolder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => [relative(boardFilesFolder, file).replaceAll('\\', '/'), file]),
  );
  const file = files.get(path);
  return file === undefined ? null : Bun.file(file);
}

/** BullMQ itself would wait for Redis forever. */
const callTimeoutMs = 10_000;

interface BoardCall {
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/**
 * Calls a Bull Board route on the hub's queues, with a timeout, and converts its errors to the hub's.
 * @throws DomainError queue_unavailable, not_found or invalid_parameter
 */
async function callBoard(
  deps: ApiDeps,
  route: AppControllerRoute,
  { params, query, body }: BoardCall,
): Promise<Response> {
  const { redis, logger } = deps;
  if (redis?.status !== 'ready') throw queueUnavailable();
  const { uiConfig } = boardRoutes;
  const queues = queueNames.map((name) => openQueue(redis, name, logger));
  // The route validates query and body with its own schemas.
  const request = {
    queues: new Map(queues.map((queue) => [queue.name, new BullMQAdapter(queue)])),
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
      ...textsIn(path),
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
      return new Response(file, { headers: { 'cache-control': fileCacheControl } });
    },
    {
      operator: true,
      ...textsIn(path),
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
      ...textsIn(path),
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
