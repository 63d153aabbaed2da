/** Bull Board's page, files and routes, without a server: the hub's endpoints call them. Loaded on the first request. */
import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import type {
  AppControllerRoute,
  AppViewRoute,
  HTTPMethod,
  IServerAdapter,
  UIConfig,
} from '@bull-board/api/typings/app';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { DomainError, invariant } from '#domain/errors.ts';
import { queueNames } from '#domain/jobs/job-kinds.ts';
import { openQueue } from '#runtime/jobs/open-queue.ts';
import { packageFolder } from '#runtime/project-files.ts';
import { within } from '#runtime/within.ts';
import type { ApiDeps } from '../deps.ts';
import { pagePolicy } from '../site/html-response.ts';

interface BoardRoutes {
  readonly page: AppViewRoute;
  readonly api: readonly AppControllerRoute[];
  readonly uiConfig: UIConfig;
}

const uiPackage = packageFolder('@bull-board/ui');

/** File names change with their content. */
const fileCacheControl = 'private, max-age=3600';

/** The page template, and the folder of the files that the page loads. */
const boardTemplateFile = join(uiPackage, 'dist', 'index.ejs');
const boardFilesFolder = join(uiPackage, 'dist', 'static');

export const boardRoutes = collectRoutes();

/** This adapter only collects the routes that the library registers. */
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

/** Bull Board writes style attributes, and has fonts and a worker of its own. */
const boardContentSecurityPolicy = pagePolicy({
  'style-src': "'self' 'unsafe-inline'",
  'img-src': "'self' data:",
  'font-src': "'self'",
  'worker-src': "'self'",
  'base-uri': "'self'",
  'form-action': "'none'",
});

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

export interface BoardCall {
  /** The dashboard's own path on this hub. */
  readonly boardPath: string;
  readonly method: string;
  /** Below the dashboard's own path, decoded. */
  readonly segments: readonly string[];
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/**
 * Responds with the page, one of its files, or what a route of Bull Board returns.
 * @throws DomainError not_found, and those of `callRoute`
 */
export async function openBoard(deps: ApiDeps, call: BoardCall): Promise<Response> {
  const { method, segments } = call;
  const [first, ...rest] = segments;
  const file = method === 'GET' && first === 'static' ? findBoardFile(rest.join('/')) : null;
  if (file !== null) return new Response(file, { headers: { 'cache-control': fileCacheControl } });
  const { page, api } = boardRoutes;
  if (method === 'GET' && [page.route].flat().some((path) => readParams(path, segments) !== null))
    return boardPageOf(call);
  for (const route of api) {
    if (![route.method].flat().includes(method.toLowerCase() as HTTPMethod)) continue;
    for (const path of [route.route].flat()) {
      const params = readParams(path, segments);
      if (params !== null) return callRoute(deps, route, { ...call, params });
    }
  }
  throw new DomainError('not_found', 'The queue dashboard has nothing at this path.');
}

/** @returns null if the path does not match */
function readParams(path: string, segments: readonly string[]): Readonly<Record<string, string>> | null {
  const parts = path.split('/').slice(path === '/' ? 2 : 1);
  if (parts.length !== segments.length) return null;
  const params: [name: string, value: string][] = [];
  for (const [at, part] of parts.entries()) {
    const segment = segments[at] ?? '';
    if (part.startsWith(':')) params.push([part.slice(1), segment]);
    else if (part !== segment) return null;
  }
  return Object.fromEntries(params);
}

function boardPageOf({ boardPath }: BoardCall): Response {
  return new Response(renderBoardPage(boardPath), {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': boardContentSecurityPolicy,
    },
  });
}

/**
 * Calls a Bull Board route on the hub's queues, with a timeout, and converts its errors to the hub's.
 * @throws DomainError queue_unavailable, not_found or invalid_parameter
 */
async function callRoute(
  deps: ApiDeps,
  route: AppControllerRoute,
  { params, query, body }: BoardCall & { readonly params: Readonly<Record<string, string>> },
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
