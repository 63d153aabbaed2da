/**
 * Rules that hold for the whole source and that no request can show: where chance comes from, and how secrets are compared.
 * A file that is new to one of them has to be looked at, and is then named here.
 */
import { expect, test } from 'bun:test';
import { Glob } from 'bun';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectFolder } from '#runtime/project-files.ts';

const folders = 'actors,api,cli,db,domain,runtime,workers';
const files = await Promise.all(
  [...new Glob(`{${folders}}/**/*.{ts,mjs}`).scanSync({ cwd: projectFolder })].map(async (path) => ({
    path,
    // Comments may speak of anything.
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

test('the whole source is looked at', () => {
  expect(files.length).toBeGreaterThan(400);
});

test('Math.random, which can be foretold, makes pauses and a made-up name, and nothing that is kept secret', () => {
  expect(filesWith(/Math\.random/)).toEqual([
    'cli/demo.ts',
    'cli/supervisor/restart-pauses.ts',
    'db/sqlite.ts',
    'domain/webhooks/next-attempt.ts',
    'runtime/guarded-http/with-retries.ts',
    'workers/sweeper/rounds.ts',
    'workers/target-slots.ts',
  ]);
});

test('what must not be guessed is drawn by the generator of the system', () => {
  expect(filesWith(/getRandomValues|randomBytes/)).toEqual([
    'domain/agents/create-challenge.ts',
    'domain/agents/keys/bearer-token.ts',
    'domain/eval-suite/new-seed.ts',
    'domain/events/event-state.ts',
    'runtime/settings/load-secret-key.ts',
  ]);
});

test('secrets are compared in constant time', () => {
  expect(filesWith(/timingSafeEqual\(/)).toEqual([
    'api/access/key-gate.ts',
    'runtime/inbound-http/standard-webhooks.ts',
    'workers/operator-server.ts',
  ]);
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

test('no text is run as code', () => {
  expect(filesWith(/(?<!\.)\beval\(|new Function\(|node:vm|\bsetTimeout\(\s*['"`]/)).toEqual([]);
  expect(filesWith(/innerHTML|insertAdjacentHTML|document\.write/)).toEqual([]);
});

test('no certificate is taken unseen', () => {
  expect(filesWith(/rejectUnauthorized\s*:\s*false|NODE_TLS_REJECT_UNAUTHORIZED/)).toEqual([]);
});
