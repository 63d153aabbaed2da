import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockFolder } from '#runtime/process/folder-lock.ts';

const scratch = mkdtempSync(join(tmpdir(), 'agent-hub-test-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const newFolder = (): string => mkdtempSync(join(scratch, 'folder-'));

/** Tries the lock in a separate process; with `hold` the process then waits to be killed. */
function lockElsewhere(folder: string, hold = false) {
  const program = `
    const { lockFolder } = await import('${join(import.meta.dir, '../../runtime/process/folder-lock.ts')}');
    console.log(lockFolder('${folder}') === null ? 'refused' : 'locked');
    ${hold ? 'setInterval(() => {}, 60_000);' : ''}
  `;
  return Bun.spawn([process.execPath, '-e', program], { stdout: 'pipe' });
}

test('only one holder at a time can lock a folder', async () => {
  const folder = newFolder();
  const lock = lockFolder(folder);
  expect(lockFolder(folder)).toBeNull();
  expect(await new Response(lockElsewhere(folder).stdout).text()).toBe('refused\n');
  lock?.release();
  expect(await new Response(lockElsewhere(folder).stdout).text()).toBe('locked\n');
});

test('a lock that is no longer referenced is still held', () => {
  const folder = newFolder();
  (() => lockFolder(folder))();
  Bun.gc(true);
  expect(lockFolder(folder)).toBeNull();
});

test('the lock of a killed process is free at once', async () => {
  const folder = newFolder();
  const holder = lockElsewhere(folder, true);
  const { value } = await holder.stdout.getReader().read();
  expect(new TextDecoder().decode(value)).toBe('locked\n');
  expect(lockFolder(folder)).toBeNull();
  holder.kill('SIGKILL');
  await holder.exited;
  expect(lockFolder(folder)).not.toBeNull();
});
