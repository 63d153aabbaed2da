/** `.ci/run` passes only if all of its commands have passed. Here a shell script stands in for npm. */
import { expect, test } from 'bun:test';
import { cpSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { projectFolder } from '#runtime/project-files.ts';
import { useTestFolder } from '#test/harness/test-folder.ts';

const folder = useTestFolder();
cpSync(join(projectFolder, '.ci', 'run'), join(folder, '.ci', 'run'));
writeFileSync(
  join(folder, 'npm'),
  '#!/bin/sh\ncase "$2" in test) eval "$TEST" ;; test:long) eval "$LONG" ;; check) eval "$CHECK" ;; esac\n',
  { mode: 0o755 },
);

const passes = 'echo 5 passed, 0 failed';
const fails = 'echo 3 passed, 2 failed; exit 1';
/** What `npm test` prints if a test fails. */
const explains =
  "echo first; echo; echo 'The failures again:'; echo why it failed; echo 3 passed, 1 failed; exit 1";
const dies = 'kill -9 $$';

/** Runs with these commands in place of the scripts of npm; the others pass. */
function runWith(commands: Partial<Readonly<Record<'TEST' | 'LONG' | 'CHECK', string>>>) {
  const PATH = `${folder}${delimiter}${process.env['PATH']}`;
  const env = { ...process.env, TEST: passes, LONG: passes, CHECK: 'true', ...commands, PATH };
  const { stdout, exitCode } = Bun.spawnSync(['bash', join(folder, '.ci', 'run')], { env });
  return { printed: stdout.toString(), exitCode };
}

test.each([
  ['each command passes', {}, '10 passed, 0 failed', 0],
  ['both test runs fail', { TEST: fails, LONG: fails }, '6 passed, 4 failed', 1],
  ['the tests die', { TEST: dies }, '5 passed, 1 failed', 1],
  ['the long tests die', { LONG: dies }, '5 passed, 1 failed', 1],
  ['a run ends without totals', { LONG: 'true' }, '5 passed, 1 failed', 1],
  ['a run fails after its totals', { LONG: `${passes}; false` }, '10 passed, 1 failed', 1],
  ['the checks fail', { CHECK: 'false' }, '10 passed, 1 failed', 1],
])('when %s, the last line and the exit code say so', (_, commands, lastLine, exitCode) => {
  const run = runWith(commands);
  expect([run.printed.trimEnd().split('\n').at(-1), run.exitCode]).toEqual([lastLine, exitCode]);
});

test('files that passed only when repeated are named after all later output', () => {
  const lucky = `echo 'Passed only when repeated: a.test.ts'; ${passes}`;
  const run = runWith({ TEST: lucky, CHECK: 'echo checks' });
  const [, afterChecks = ''] = run.printed.split('checks\n');
  expect(afterChecks).toBe('Passed only when repeated: a.test.ts\n\n10 passed, 0 failed\n');
  expect(run.exitCode).toBe(0);
});

test('what failed is repeated after all later output, also of a run that was cut off', () => {
  const run = runWith({ TEST: explains, LONG: `echo last words; ${dies}`, CHECK: 'echo checks' });
  const [, afterChecks = ''] = run.printed.split('checks\n');
  expect(afterChecks).toInclude('npm run test failed:\nThe failures again:\nwhy it failed\n');
  expect(afterChecks).toInclude('npm run test:long failed:\nlast words\n');
  expect(afterChecks).not.toInclude('first');
});
