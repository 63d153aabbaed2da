import { Glob } from 'bun';
import { expect, test } from 'bun:test';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { longTests } from '#cli/testing/long-tests.ts';
import { isAlive } from '#runtime/process/is-alive.ts';
import { projectFolder } from '#runtime/project-files.ts';
import { runProgram } from '#test/harness/run-program.ts';
import { useTestFolder } from '#test/harness/test-folder.ts';
import { waitUntil } from '#test/harness/wait-until.ts';

const scratch = useTestFolder();

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
async function runTests(files: Record<string, string>, settings = {}, parameters: readonly string[] = []) {
  const project = makeProject(files);
  const temporary = mkdtempSync(join(scratch, 'tmp-'));
  // Others may enter, because Postgres runs as another user.
  for (const folder of [scratch, temporary]) chmodSync(folder, 0o711);
  const command = [process.execPath, join(import.meta.dir, '../../cli/run-tests.ts'), ...parameters];
  const own = { TMPDIR: temporary, TEST_REPEAT_FAILED: '', TEST_STORE: undefined };
  const env = { ...process.env, ...own, ...settings };
  const { exitCode, printed: output, complaints: errors } = await runProgram(command, { cwd: project, env });
  const lastLine = output.trimEnd().split('\n').at(-1);
  return { lastLine, exitCode, leftovers: readdirSync(temporary), project, output, errors };
}

const passing = `test('passes', () => {});`;
const failing = `${passing} test('fails', () => expect(1).toBe(2));`;

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

test('`bun test` without files is `npm test`; with files or names of tests, Bun runs only these', async () => {
  const preload = `import { handOverFullRun } from '${projectFolder}/cli/testing/full-run.ts'; handOverFullRun();`;
  const project = makeProject({ 'preload.ts': preload, 'a.test.ts': passing, 'b.test.ts': passing });
  const command = [process.execPath, 'test', '--preload=./preload.ts'];
  const env = { ...process.env, TEST_LOADED_FILES: undefined };
  const type = (...words: readonly string[]) => {
    const { stdout, stderr, exitCode } = Bun.spawnSync([...command, ...words], { cwd: project, env });
    return { last: stdout.toString().trimEnd().split('\n').at(-1), errors: stderr.toString(), exitCode };
  };
  expect(type()).toMatchObject({ last: '2 passed, 0 failed', exitCode: 0 });
  expect(type('./a.test.ts')).toMatchObject({ errors: expect.stringContaining(' 1 pass\n'), exitCode: 0 });
  const named = type('--test-name-pattern=passes');
  expect(named).toMatchObject({ errors: expect.stringContaining(' 2 pass\n'), exitCode: 0 });
  expect(named.last).not.toBe('2 passed, 0 failed');
});

test('failing tests and files that do not load are counted, what failed is repeated, and the exit code is 1', async () => {
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

  const both = await runTests({ ...files, 'c.test.ts': failing }, repeating);
  expect(both).toMatchObject({ lastLine: '4 passed, 1 failed', exitCode: 1 });
  expect(both.output).toContain('Passed only when repeated: b.test.ts\n');

  const fails = 'expect(isFirst).toBe(false)';
  const dying = unlucky.replace(fails, "if (isFirst) process.kill(process.pid, 'SIGSEGV')");
  const crashed = await runTests({ 'a.test.ts': passing, 'b.test.ts': `${passing} ${dying}` }, repeating);
  expect(crashed).toMatchObject({ lastLine: '3 passed, 0 failed', exitCode: 0 });

  // A test goes on after its timeout, and may fail once more outside of any test.
  const slow = unlucky
    .replace('() => {', 'async () => {')
    .replace(fails, "if (isFirst) await Bun.sleep(600).then(() => Promise.reject('late'))")
    .replace(/}\);$/, '}, 300);');
  const waiting = `test('waits', () => Bun.sleep(1000));`;
  const late = await runTests({ 'a.test.ts': passing, 'b.test.ts': `${slow} ${waiting}` }, repeating);
  expect(late.errors).toContain('Unhandled error between tests');
  expect(late).toMatchObject({ lastLine: '3 passed, 0 failed', exitCode: 0 });
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
  const judged = await runTests({ 'a.test.ts': seen, [after]: judge });
  expect(judged.lastLine).toBe('2 passed, 0 failed');
  const refused = await runTests({ 'a.test.ts': passing, [after]: failing });
  expect(refused).toMatchObject({ lastLine: '2 passed, 1 failed', exitCode: 1 });
});

/** A file that each pattern matches. */
const long = Object.fromEntries(
  longTests.map((pattern) => [pattern.replaceAll('*', 'x').replace('[2-9]', '2'), passing]),
);

test('long tests run by their own command or by name, and their command fails when one is missing', async () => {
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
  const ofBoth = `
    import { forEachStore } from ${harness};
    test('has the words on postgres in its name', () => {});
    forEachStore(({ dialect }) => console.log('defined for ' + dialect));
  `;
  const files = { ...long, 'a.test.ts': passing, 'test/b.test.ts': ofBoth };
  const definedFor = async (...parameters: string[]) => {
    const { lastLine, output, errors } = await runTests(files, {}, parameters);
    return [lastLine, ...(`${output}${errors}`.match(/defined for \w+/g) ?? [])];
  };
  const [sqlite, postgres] = ['defined for sqlite', 'defined for postgres'];
  expect(await definedFor()).toEqual(['2 passed, 0 failed', sqlite]);
  expect(await definedFor('--long')).toEqual([`${longTests.length + 1} passed, 0 failed`, postgres]);
  expect(await definedFor('test/b.test.ts')).toEqual(['1 passed, 0 failed', sqlite, postgres]);
});

test('only test files define tests of both stores, so the run on Postgres finds them all', () => {
  const calling = [...new Glob('test/**/*.ts').scanSync(projectFolder)].filter((name) =>
    /(forEachStore|onStore)\(/.test(readFileSync(join(projectFolder, name), 'utf8')),
  );
  expect(calling.filter((name) => !name.endsWith('.test.ts'))).toEqual(['test/harness/stores.ts']);
});

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
