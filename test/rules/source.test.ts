/**
 * Rules for the whole source that no request can test: where randomness comes from and how secrets are
 * compared. A file that newly breaks one needs a review and is then listed here.
 */
import { expect, test } from 'bun:test';
import { Glob } from 'bun';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { listOperation, nameRoute, operationIdOf } from '#api/openapi/operation-ids.ts';
import { hubEndpoints } from '#api/routes.ts';
import { nameOperations } from '#domain/operation.ts';
import { projectFolder } from '#runtime/project-files.ts';

const folders = 'actors,api,cli,db,domain,evals,runtime,site,workers';
const files = await Promise.all(
  [...new Glob(`{${folders}}/**/*.{ts,tsx,mjs}`).scanSync({ cwd: projectFolder })].map(async (path) => ({
    path,
    // Comments may mention anything.
    code: (await readFile(join(projectFolder, path), 'utf8')).replaceAll(
      /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm,
      '',
    ),
  })),
);

const filesWith = (form: RegExp): string[] =>
  files
    .filter(({ code }) => form.test(code))
    .map(({ path }) => path)
    .toSorted();

test('the whole source is checked', () => {
  expect(files.length).toBeGreaterThan(400);
});

test.each([
  [
    'Math.random is used for pauses and sample data, never for secrets',
    /Math\.random/,
    `cli/demo.ts cli/supervisor/keep-running.ts db/sqlite.ts domain/webhooks/record-attempt.ts
      runtime/guarded-http/with-retries.ts runtime/turns/address-turns.ts workers/sweeper/rounds.ts`,
  ],
  [
    'secrets come from the secure random generator',
    /getRandomValues|randomBytes/,
    `api/access/operator-session.ts cli/hub/setup/set-up-hub.ts domain/agents/challenges.ts
      domain/agents/token-bearers.ts domain/events/event-state.ts domain/runs/encrypt-headers.ts
      domain/runs/redeem.ts domain/sessions/sessions.ts domain/webhooks/challenge.ts
      runtime/settings/kept-key.ts`,
  ],
  [
    'secrets are compared in constant time',
    /timingSafeEqual\(/,
    `api/access/key-gate.ts api/access/operator-session.ts domain/sharing/share-token.ts
      runtime/inbound-http/standard-webhooks.ts workers/operator-server.ts`,
  ],
  ['texts are normalised by one function, in linear time', /\.normalize\(/, 'runtime/normalize-text.ts'],
  ['TLS certificates are always verified', /rejectUnauthorized\s*:\s*false|NODE_TLS_REJECT_UNAUTHORIZED/, ''],
  ['no text is executed as code', /(?<!\.)\beval\(|new Function\(|node:vm|\bsetTimeout\(\s*['"`]/, ''],
  ['no text becomes markup in a browser', /innerHTML|insertAdjacentHTML|document\.write/, ''],
])('%s', (_, form, allowed) => {
  expect(filesWith(form)).toEqual(allowed.split(/\s+/).filter((file) => file !== ''));
});

test('only db/ knows which store it is', () => {
  const ofStores = filesWith(/\bdialect\b|['"](sqlite|postgres)['"]/).filter((path) =>
    /^(domain|actors)\//.test(path),
  );
  expect(ofStores).toEqual([]);
});

test('only the products themselves know a product by name', () => {
  const known = filesWith(/['"`](?:eval|agent|suite)-run['"`]/).filter((path) => path.startsWith('domain/'));
  expect(known.filter((path) => !path.startsWith('domain/runs/products'))).toEqual([]);
});

test('no secret is compared character by character', () => {
  const secret = String.raw`(?:[a-z]*(?:[Oo]perator|[Ii]nbox|[Ss]ecret)[Kk]ey|\w*[sS]ecret|\w*[sS]ignature|bearerToken|tokenHash)`;
  const comparison = new RegExp(
    String.raw`\b${secret}\s*[!=]==(?!\s*(?:null\b|undefined\b|true\b|'))|[!=]==\s*${secret}\b(?!\.length)`,
  );
  expect('if (given === operatorKey) return;').toMatch(comparison);
  expect('if (signature !== expected) throw x;').toMatch(comparison);
  expect(filesWith(comparison)).toEqual([]);
});

test('the domain names no HTTP route, and hints name only operations of the API', () => {
  // Of a target, which is not the hub.
  expect(filesWith(/\/v1\//).filter((path) => path.startsWith('domain/'))).toEqual([]);
  const ids = new Set(hubEndpoints.filter(({ hidden }) => hidden !== true).map(operationIdOf));
  const named = files.flatMap(({ code }) => [...code.matchAll(/\boperation\('(\w+)'/g)]);
  const unknown = named
    .map(([, name = '']) => name)
    .filter((name) => !ids.has(name) || nameRoute(name, {}) === null);
  expect([named.length > 50, unknown]).toEqual([true, []]);
});

test('the domain writes no markup', () => {
  const markup =
    /<\/?(?:a|b|br|code|div|em|h\d|html|i|img|li|p|pre|script|section|span|strong|style|svg|table|td|th|tr|ul)[\s/>]|\b(?:class|style)="|text\/(?:css|html)/;
  for (const planted of ['`<p>${text}</p>`', "'<br/>'", '`<div class="x">`', "'text/html'"])
    expect(planted).toMatch(markup);
  expect(filesWith(markup).filter((path) => path.startsWith('domain/'))).toEqual([]);
  expect(files.filter(({ path }) => /^domain\/.*\.tsx$/.test(path))).toEqual([]);
});

test('an id in the wrong form leads to a list with a name', () => {
  const withId = hubEndpoints.filter(
    ({ path, hidden }) => /^\/v1\/[^:]+\/:id(\/|$)/.test(path) && hidden !== true,
  );
  const read = new Set(hubEndpoints.filter(({ method }) => method === 'GET').map(({ path }) => path));
  const parents = withId.map(({ path }) => path.split('/:')[0] ?? '').filter((path) => read.has(path));
  const lists = new Set(parents.map(listOperation));
  const unnamed = [...lists].filter((list) => nameOperations(list, nameRoute) === list);
  expect([lists.size > 5, unnamed]).toEqual([true, []]);
});
