import { Glob } from 'bun';
import { afterAll, expect, test } from 'bun:test';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { passOn } from '#cli/testing/pass-on.ts';
import { longTests } from '#cli/testing/long-tests.ts';
import { hasRoom, makeRunFolder, memory } from '#cli/testing/run-folder.ts';
import { isAlive } from '#runtime/process/is-alive.ts';
import { projectFolder } from '#runtime/project-files.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

const scratch = mkdtempSync(join(tmpdir(), 'agent-hub-test-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** A temporary project with the given files. */
function makeProject(files: Readonly<Record<string, string>>): string {
  const project = mkdtempSync(join(scratch, 'project-'));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project, name)), { recursive: true });
    const imports = name.endsWith('.ts') ? `import { expect, test } from 'bun:test';\n` : '';
    writeFileSync(join(project, name), imports + text);
  }
  return project;
}

/** Runs the test command in a temporary project with the given test files. */
async function runTests(
  files: Record<string, string>,
  settings: Record<string, string> = {},
  parameters: readonly string[] = [],
) {
  const project = makeProject(files);
  const temporary = mkdtempSync(join(scratch, 'tmp-'));
  // Others may enter, because Postgres runs as another user.
  for (const folder of [scratch, temporary]) chmodSync(folder, 0o711);
  const command = [process.execPath, join(import.meta.dir, '../../cli/run-tests.ts'), ...parameters];
  const run = Bun.spawn(command, {
    cwd: project,
    stdout: 'pipe',
    stderr: 'pipe',
    env: { ...process.env, TMPDIR: temporary, TEST_REPEAT_FAILED: '', TEST_STORE: undefined, ...settings },
  });
  const [output, errors] = await Promise.all([
    new Response(run.stdout).text(),
    new Response(run.stderr).text(),
  ]);
  const exitCode = await run.exited;
  const lastLine = output.trimEnd().split('\n').at(-1);
  return { lastLine, exitCode, leftovers: readdirSync(temporary), project, output, errors };
}

const passing = `test('passes', () => {});`;

test('a run that passes ends with its totals and 0, and leaves no file of its tests behind', async () => {
  const writing = `
    import { mkdtempSync } from 'node:fs';
    import { tmpdir } from 'node:os';
    test('writes', () => { mkdtempSync(tmpdir() + '/left-'); });
    test.skip('is skipped', () => {});
  `;
  expect(await runTests({ 'a.test.ts': passing, 'b.test.ts': writing })).toMatchObject({
    lastLine: '2 passed, 0 failed',
    exitCode: 0,
    leftovers: [],
  });
});

test('failing tests and files that do not load are counted, what failed is repeated, and the exit code is 1', async () => {
  const failing = `${passing} test('fails', () => expect(1).toBe(2));`;
  const broken = `throw new Error('This file does not load.');`;
  const { errors, ...rest } = await runTests({ 'a.test.ts': failing, 'b.test.ts': broken });
  expect(rest).toMatchObject({ lastLine: '1 passed, 2 failed', exitCode: 1 });
  const [, again = ''] = errors.split('The failures again:');
  expect(again).toMatch(/Expected: 2\n\s*Received: 1[^]*\(fail\) fails/);
  expect(again).not.toContain('(pass)');
});

/** Fails at the first run of its project, as a test on a busy machine may. */
const unlucky = `test('needs luck', () => {
  const { existsSync, writeFileSync } = require('node:fs');
  const isFirst = !existsSync('ran');
  writeFileSync('ran', '');
  expect(isFirst).toBe(false);
});`;
const repeating = { TEST_REPEAT_FAILED: '1' };

test('files that failed are repeated once if asked, and counted once, also when their process died', async () => {
  const files = { 'a.test.ts': passing, 'b.test.ts': `${passing} ${unlucky}` };
  expect(await runTests(files)).toMatchObject({ lastLine: '2 passed, 1 failed', exitCode: 1 });
  const lucky = await runTests(files, repeating);
  expect(lucky).toMatchObject({ lastLine: '3 passed, 0 failed', exitCode: 0 });
  expect(lucky.output).toContain('Passed only when repeated: b.test.ts\n');
  expect(lucky.errors).toContain('(fail) needs luck');

  const failing = `${passing} test('fails', () => expect(1).toBe(2));`;
  const both = await runTests({ ...files, 'c.test.ts': failing }, repeating);
  expect(both).toMatchObject({ lastLine: '4 passed, 1 failed', exitCode: 1 });
  expect(both.output).toContain('Passed only when repeated: b.test.ts\n');

  const dying = unlucky.replace(
    'expect(isFirst).toBe(false)',
    "if (isFirst) process.kill(process.pid, 'SIGSEGV')",
  );
  const crashed = await runTests({ 'a.test.ts': passing, 'b.test.ts': `${passing} ${dying}` }, repeating);
  expect(crashed).toMatchObject({ lastLine: '3 passed, 0 failed', exitCode: 0 });

  // A test goes on after its timeout, and may fail once more outside of any test.
  const slow = unlucky
    .replace('() => {', 'async () => {')
    .replace(
      'expect(isFirst).toBe(false)',
      "if (isFirst) await Bun.sleep(600).then(() => Promise.reject('late'))",
    )
    .replace(/}\);$/, '}, 300);');
  const waiting = `test('waits', () => Bun.sleep(1000));`;
  const late = await runTests({ 'a.test.ts': passing, 'b.test.ts': `${slow} ${waiting}` }, repeating);
  expect(late.errors).toContain('Unhandled error between tests');
  expect(late).toMatchObject({ lastLine: '3 passed, 0 failed', exitCode: 0 });
});

test('the failures of a file are those in the totals of the runner, which leave out errors between tests', async () => {
  const error = '# Unhandled error between tests';
  const lines = [
    '(fail) of no file',
    'load.test.ts:',
    error,
    'late.test.ts:',
    '(fail) at its timeout',
    error,
  ];
  lines.push('loose.test.ts:', '(pass) one', error, 'well.test.ts:', '(skip) one', '(pass) two');
  async function* printed() {
    yield new TextEncoder().encode(`${lines.join('\n')}\n`);
  }
  const { failedFiles } = await passOn(printed(), { write: () => true });
  expect([...failedFiles].map(([file, { failed }]) => [file, failed])).toEqual([
    ['load.test.ts', 1],
    ['late.test.ts', 1],
    ['loose.test.ts', 0],
  ]);
});

test('nothing is repeated when many files failed, or when the run was cut off', async () => {
  const failing = `test('fails', () => expect(1).toBe(2));`;
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`f${index}.test.ts`, failing]));
  expect(await runTests({ ...many, 'a.test.ts': unlucky }, repeating)).toMatchObject({
    lastLine: '0 passed, 31 failed',
    exitCode: 1,
  });
  const hanging = `${unlucky} test('hangs', () => Bun.sleepSync(600_000));`;
  const cut = await runTests({ 'a.test.ts': hanging }, { ...repeating, TEST_RUN_TIMEOUT_MS: '3000' });
  expect(cut).toMatchObject({ exitCode: 1 });
  expect(cut.lastLine).toMatch(/^\d+ passed, [1-9]\d* failed$/);
});

test('a failure that the runner explains before its result, or later, is kept with the explanation', async () => {
  const error = ['error: expect(received).toBe(expected)', '', 'Expected: 2'];
  const lines = [
    'a.test.ts:',
    '(pass) one',
    ...error,
    '(fail) two',
    '(fail) three',
    'b.test.ts:',
    ...error,
    '(pass) four',
    'Not an explanation.',
    '(pass) five',
    '(fail) six',
    ...error,
    'The totals, which no result follows.',
  ];
  let forwarded = '';
  const decoder = new TextDecoder();
  const to = { write: (chunk: Uint8Array) => (forwarded += decoder.decode(chunk, { stream: true })) };
  const bytes = new TextEncoder().encode(lines.join('\n'));
  async function* inPieces() {
    for (let at = 0; at < bytes.length; at += 7) yield bytes.slice(at, at + 7);
  }
  const { failures } = await passOn(inPieces(), to);
  expect(forwarded).toBe(lines.join('\n'));
  expect(failures).toEqual([
    [...error, '(fail) two'].join('\n'),
    ['b.test.ts:', ...error, '(fail) three'].join('\n'),
    [...error, '(fail) six'].join('\n'),
  ]);
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

test('long tests run by their own command or by name, and their command fails when one is missing', async () => {
  const long = Object.fromEntries(longTests.map((pattern) => [nameFor(pattern), passing]));
  const files: Record<string, string> = { 'a.test.ts': passing, ...long };
  const countOf = async (...parameters: string[]) => (await runTests(files, {}, parameters)).lastLine;
  expect(await countOf()).toBe('1 passed, 0 failed');
  expect(await countOf('--long')).toBe(`${longTests.length} passed, 0 failed`);
  expect(await countOf('./test/soak/soak.test.ts')).toBe('1 passed, 0 failed');
  const { 'test/soak/soak.test.ts': _, ...others } = files;
  const incomplete = await runTests(others, {}, ['--long']);
  expect(incomplete).toMatchObject({ exitCode: 1, leftovers: [] });
  expect(incomplete.errors).toContain('No test file matches test/soak/soak.test.ts,');
});

test('tests of both stores run on SQLite, on Postgres by the command of long tests, and on both by name', async () => {
  const harness = JSON.stringify(join(projectFolder, 'test/harness/stores.ts'));
  const files = Object.fromEntries(longTests.map((pattern) => [nameFor(pattern), passing]));
  files['a.test.ts'] = passing;
  files['test/b.test.ts'] = `
    import { forEachStore } from ${harness};
    test('has the words on postgres in its name', () => {});
    forEachStore(({ dialect }) => console.log('defined for ' + dialect));
  `;
  const definedFor = async (...parameters: string[]) => {
    const { lastLine, output, errors } = await runTests(files, {}, parameters);
    return [lastLine, ...(`${output}${errors}`.match(/defined for \w+/g) ?? [])];
  };
  const [sqlite, postgres] = ['defined for sqlite', 'defined for postgres'];
  expect(await definedFor()).toEqual(['2 passed, 0 failed', sqlite]);
  expect(await definedFor('--long')).toEqual([`${longTests.length + 1} passed, 0 failed`, postgres]);
  expect(await definedFor('test/b.test.ts')).toEqual(['1 passed, 0 failed', sqlite, postgres]);
});

test('an interrupted run starts no other one', async () => {
  const [hanging, ...long] = longTests.map(nameFor);
  const project = makeProject({
    ...Object.fromEntries(long.map((name) => [name, passing])),
    [hanging ?? '']: `require('node:fs').writeFileSync('hangs', ''); await Bun.sleep(600_000);`,
    // It has a word that makes the second run take it.
    'test/b.test.ts': `require('node:fs').writeFileSync('went on', ''); // onStore('postgres',`,
  });
  const run = Bun.spawn([process.execPath, join(projectFolder, 'cli/run-tests.ts'), '--long'], {
    cwd: project,
    stdout: 'ignore',
    stderr: 'ignore',
    env: { ...process.env, TMPDIR: project, TEST_STORE: undefined },
  });
  await waitUntil(() => existsSync(join(project, 'hangs')));
  run.kill('SIGINT');
  expect(await run.exited).toBe(1);
  expect(existsSync(join(project, 'went on'))).toBe(false);
});

test('only test files define tests of both stores, so the run on Postgres finds them all', () => {
  const calling = [...new Glob('test/**/*.ts').scanSync(projectFolder)].filter((name) =>
    /(forEachStore|onStore)\(/.test(readFileSync(join(projectFolder, name), 'utf8')),
  );
  expect(calling.filter((name) => !name.endsWith('.test.ts'))).toEqual(['test/harness/stores.ts']);
});

/** The name of a file that the pattern matches. */
function nameFor(pattern: string): string {
  return pattern.replaceAll('*', 'x').replace('[2-9]', '2');
}

test('a run that does not end is killed with its workers, names the files that were running, and fails', async () => {
  const hanging = `test('hangs', () => {
    require('node:fs').writeFileSync('pid', String(process.pid));
    Bun.sleepSync(600_000);
  });`;
  const preload = `[test]\npreload = [${JSON.stringify(join(projectFolder, 'test/preload.ts'))}]\n`;
  const files = { 'a.test.ts': passing, 'hangs.test.ts': hanging, 'bunfig.toml': preload };
  const { project, output: _, errors, ...run } = await runTests(files, { TEST_RUN_TIMEOUT_MS: '4000' });
  expect(run).toEqual({ lastLine: '0 passed, 1 failed', exitCode: 1, leftovers: [] });
  expect(errors).toContain('The test run did not end within 4 seconds. It was running:\n');
  expect(errors).toContain(`  ${join(project, 'hangs.test.ts')}\n`);
  const pid = Number(readFileSync(join(project, 'pid'), 'utf8'));
  // The system takes a moment to remove it.
  await waitUntil(async () => !isAlive(pid));
});

test.if(hasRoom(memory))(
  'a run has its temporary files in memory, and removes what killed runs left there',
  () => {
    const [left, kept] = [Bun.spawnSync(['true']).pid, process.pid].map((pid) =>
      mkdtempSync(join(memory, `hub-test-${pid}-`)),
    ) as [string, string];
    const folder = makeRunFolder('');
    expect(folder).toStartWith(`${memory}/`);
    expect([existsSync(left), existsSync(kept)]).toEqual([false, true]);
    for (const made of [kept, folder]) rmSync(made, { recursive: true });
  },
);
