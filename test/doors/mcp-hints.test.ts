/** Whatever goes wrong over MCP, the hint names a tool or a resource, never a route that a host cannot call. */
import { expect, test } from 'bun:test';
import { Glob } from 'bun';
import { join } from 'node:path';
import { errorCodesOf } from '#api/plugins/operations.ts';
import { errorTable } from '#api/errors/error-table.ts';
import { createNameTools } from '#api/mcp/mcp-servers.ts';
import { hubSurface } from '#api/routes.ts';
import type { ErrorCode } from '#domain/errors.ts';
import { nameOperations } from '#domain/operation.ts';
import { projectFolder } from '#runtime/project-files.ts';

const baseUrl = 'https://hub.example';
const nameOf = createNameTools(hubSurface, baseUrl);

/** What no tool does on purpose: closing an account needs its key, and no message of a host is that large. */
const withoutTool = new Set(['closeAccount', 'exportMe', 'getOpenapiJson']);

const route = /\b(?:GET|POST|PUT|PATCH|DELETE) \/|(?<!\w)\/v1\//;

const reachable = new Set<ErrorCode>(
  hubSurface.tools.flatMap(({ calls }) => calls.flatMap(({ endpoint }) => errorCodesOf(endpoint))),
);

/** The operations that a text names and that MCP has no name for. */
function unnamed(text: string): readonly string[] {
  const named = [...text.matchAll(/\[\[(\w+)|\boperation\('(\w+)'/g)].map(([, one, two]) => one ?? two ?? '');
  return named.filter(
    (name) => typeof nameOf(name, {}) !== 'string' && !isResource(name) && !withoutTool.has(name),
  );
}

function isResource(name: string): boolean {
  const found = nameOf(name, {});
  return typeof found === 'object' && found !== null && found.words.startsWith('the resource ');
}

test('the advice for every error that a tool can cause', () => {
  expect(reachable.size).toBeGreaterThan(60);
  for (const code of reachable) {
    const { advice } = errorTable[code];
    expect([code, unnamed(advice)]).toEqual([code, []]);
    expect([code, nameOperations(advice, nameOf).replaceAll(baseUrl, '…')]).not.toEqual([
      code,
      expect.stringMatching(/(?:GET|POST|PUT|PATCH|DELETE) \//),
    ]);
  }
});

/** The arguments of each `new DomainError(` in a source. */
function* errorsIn(source: string): Generator<string> {
  for (
    let from = source.indexOf('new DomainError(');
    from >= 0;
    from = source.indexOf('new DomainError(', from + 1)
  ) {
    let depth = 0;
    let end = source.indexOf('(', from);
    do {
      if (source[end] === '(') depth += 1;
      if (source[end] === ')') depth -= 1;
      end += 1;
    } while (depth > 0 && end < source.length);
    yield source.slice(from, end);
  }
}

/** What no tool reaches. Its errors have codes that others share, and hints for HTTP. */
const withoutTools = [
  'api/app.ts',
  'api/oauth/',
  'api/openapi/',
  'domain/agents/bearer-tokens.ts',
  'domain/credentials/',
  'domain/moderation/',
  'domain/sessions/',
  'domain/sharing/',
  'domain/suites/change-suite.ts',
  'domain/suites/publish-suite.ts',
  'domain/supporters/',
  'domain/webhooks/',
];

test('the hint of every refusal with such a code', async () => {
  let seen = 0;
  const wrong: string[] = [];
  for (const folder of ['domain', 'api']) {
    for await (const file of new Glob('**/*.ts').scan(join(projectFolder, folder))) {
      const source = await Bun.file(join(projectFolder, folder, file)).text();
      for (const refusal of errorsIn(source)) {
        const code = /new DomainError\(\s*'(\w+)'/.exec(refusal)?.[1];
        if (withoutTools.some((path) => `${folder}/${file}`.startsWith(path))) continue;
        if (code === undefined || !reachable.has(code as ErrorCode)) continue;
        seen += 1;
        const faults = [...unnamed(refusal), ...(route.exec(refusal) ?? [])];
        if (faults.length > 0) wrong.push(`${folder}/${file} ${code}: ${faults.join(', ')}`);
      }
    }
  }
  expect(wrong).toEqual([]);
  expect(seen).toBeGreaterThan(100);
});

test('a hint for a switch of a tool says which', () => {
  expect(nameOperations(errorTable.sold_out.advice, nameOf)).toContain('book_seat {"waitlist":true}');
  expect(nameOperations(errorTable.already_reserved.advice, nameOf)).toContain('list_events {"mine":true}');
});
