/** The page of the queue dashboard and its files, all served from Bull Board's package. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { invariant } from '#domain/errors.ts';
import { boardFilesFolder, boardRoutes, boardTemplateFile } from './board-routes.ts';

/** The template loads fonts from Google. Without these links the page uses system fonts. */
const fromElsewhere = /<link\b[^>]*\bhref="https?:[^>]*>\s*/g;

/** Bull Board writes style attributes. Everything else comes from the hub itself. */
export const boardContentSecurityPolicy = [
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

const contentTypes: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  ico: 'image/x-icon',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json; charset=utf-8',
  png: 'image/png',
  svg: 'image/svg+xml',
};

let template: string | undefined;

/** @param basePath the path of the dashboard as the browser sees it */
export function renderBoardPage(basePath: string): string {
  template ??= readFileSync(boardTemplateFile, 'utf8').replaceAll(fromElsewhere, '');
  const { params } = boardRoutes.page.handler({ basePath, uiConfig: boardRoutes.uiConfig });
  const page = template
    .replaceAll(/<%=\s*(\w+)\s*%>/g, (_, name: string) => Bun.escapeHTML(params[name] ?? ''))
    // Bull Board has already escaped these values for a script element.
    .replaceAll(/<%-\s*(\w+)\s*%>/g, (_, name: string) => params[name] ?? '');
  invariant(!page.includes('<%'), 'The Bull Board template contains only values.');
  return page;
}

export interface BoardFile {
  readonly content: Blob;
  readonly type: string;
}

let files: ReadonlyMap<string, string> | undefined;

/** @returns null unless the path names one of the page's files, whatever it resolves to */
export function findBoardFile(path: string): BoardFile | null {
  files ??= new Map(
    readdirSync(boardFilesFolder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => [relative(boardFilesFolder, file).replaceAll('\\', '/'), file]),
  );
  const file = files.get(path);
  const type = contentTypes[path.split('.').at(-1) ?? ''];
  return file === undefined || type === undefined ? null : { content: Bun.file(file), type };
}
