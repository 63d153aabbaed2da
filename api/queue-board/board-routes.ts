/**
 * Bull Board's routes without a server. This adapter only collects the routes that the library registers, so
 * that each becomes an endpoint of the hub.
 */
import { join } from 'node:path';
import { createBullBoard } from '@bull-board/api';
import type { AppControllerRoute, AppViewRoute, IServerAdapter, UIConfig } from '@bull-board/api/typings/app';
import { invariant } from '#domain/errors.ts';
import { packageFolder } from '#runtime/project-files.ts';

export interface BoardRoutes {
  readonly page: AppViewRoute;
  readonly api: readonly AppControllerRoute[];
  readonly uiConfig: UIConfig;
}

const uiPackage = packageFolder('@bull-board/ui');

/** The page template, and the folder of the files that the page loads. */
export const boardTemplateFile = join(uiPackage, 'dist', 'index.ejs');
export const boardFilesFolder = join(uiPackage, 'dist', 'static');

export const boardRoutes = collectRoutes();

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
