/** The hook and the check accept subjects of at most 72 characters. */
import { beforeAll, expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '#runtime/project-files.ts';
import { useTestFolder } from '#test/harness/test-folder.ts';

const folder = useTestFolder();

function git(...args: readonly string[]): number | null {
  const identity = ['-c', 'user.name=A', '-c', 'user.email=a@b.example'];
  return spawnSync('git', ['-C', folder, ...identity, ...args]).status;
}
const commit = (subject: string, ...flags: readonly string[]) =>
  git('commit', '-q', '--allow-empty', '-m', subject, '-m', 'x'.repeat(100), ...flags);
function check() {
  const file = join(projectFolder, 'cli', 'check-commits.ts');
  const { status, stderr } = spawnSync(process.execPath, [file, folder], { encoding: 'utf8' });
  return { status, stderr };
}

beforeAll(() => {
  git('init', '-q');
  commit('o'.repeat(90));
  cpSync(join(projectFolder, '.githooks'), join(folder, '.githooks'), { recursive: true });
  git('add', '.githooks');
  commit('Add the hook');
  git('config', 'core.hooksPath', '.githooks');
});

test('a commit needs a subject of at most 72 characters, whatever their number of bytes', () => {
  expect([commit('ü'.repeat(72)), commit('x'.repeat(73))]).toEqual([0, 1]);
});

test('the check finds long subjects that were committed without the hook, but not those from before it', () => {
  expect(check()).toEqual({ status: 0, stderr: '' });
  expect(commit('y'.repeat(73), '--no-verify')).toBe(0);
  expect(check()).toMatchObject({ status: 1, stderr: expect.stringContaining('y'.repeat(73)) });
});
