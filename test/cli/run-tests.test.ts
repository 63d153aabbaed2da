import { afterAll, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const scratch = mkdtempSync(join(tmpdir(), 'agent-hub-test-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** Runs the test command in a temporary project with the given test files. */
async function runTests(files: Record<string, string>) {
  const project = mkdtempSync(join(scratch, 'project-'));
  const temporary = mkdtempSync(join(scratch, 'tmp-'));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project, name)), { recursive: true });
    writeFileSync(join(project, name), `import { expect, test } from 'bun:test';\n${text}`);
  }
  const run = Bun.spawn([process.execPath, join(import.meta.dir, '../../cli/run-tests.ts')], {
    cwd: project,
    stdout: 'pipe',
    stderr: 'pipe',
    env: { ...process.env, TMPDIR: temporary },
  });
  const [output] = await Promise.all([new Response(run.stdout).text(), new Response(run.stderr).text()]);
  const exitCode = await run.exited;
  return { lastLine: output.trimEnd().split('\n').at(-1), exitCode, leftovers: readdirSync(temporary) };
}

const passing = `test('passes', () => {});`;

test('a run that passes ends with its totals and 0, and leaves no file of its tests behind', async () => {
  const writing = `
    import { mkdtempSync } from 'node:fs';
    import { tmpdir } from 'node:os';
    test('writes', () => { mkdtempSync(tmpdir() + '/left-'); });
    test.skip('is skipped', () => {});
  `;
  expect(await runTests({ 'a.test.ts': passing, 'b.test.ts': writing })).toEqual({
    lastLine: '2 passed, 0 failed',
    exitCode: 0,
    leftovers: [],
  });
});

test('failing tests and files that do not load are counted, and the exit code is 1', async () => {
  const failing = `${passing} test('fails', () => expect(1).toBe(2));`;
  const broken = `throw new Error('This file does not load.');`;
  expect(await runTests({ 'a.test.ts': failing, 'b.test.ts': broken })).toMatchObject({
    lastLine: '1 passed, 2 failed',
    exitCode: 1,
  });
});

test('a run that finds no tests, or whose process dies, fails', async () => {
  expect(await runTests({})).toMatchObject({ lastLine: '0 passed, 1 failed', exitCode: 1 });
  const dying = `test('dies', () => process.kill(process.pid, 'SIGKILL'));`;
  const { lastLine, exitCode } = await runTests({ 'a.test.ts': dying });
  expect(lastLine).toMatch(/^\d+ passed, [1-9]\d* failed$/);
  expect(exitCode).toBe(1);
});

test('the checks after a full run are counted too, once all files have passed', async () => {
  const seen = `test('sees', () => require('node:fs').writeFileSync(process.env.TEST_SEEN_ANSWERS, 'seen'));`;
  const judge = `test('judges', () => expect(require('node:fs').readFileSync(process.env.TEST_SEEN_ANSWERS, 'utf8')).toBe('seen'));`;
  const after = 'test/conformance/after-full-run.ts';
  expect(await runTests({ 'a.test.ts': seen, [after]: judge })).toMatchObject({
    lastLine: '2 passed, 0 failed',
  });
  const harsh = `test('judges', () => expect(1).toBe(2));`;
  expect(await runTests({ 'a.test.ts': passing, [after]: harsh })).toMatchObject({
    lastLine: '1 passed, 1 failed',
    exitCode: 1,
  });
});
