import { expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lockFolder } from '#runtime/process/folder-lock.ts';
import { loadSecretKey } from '#runtime/settings/load-secret-key.ts';
import { runProgram, startProgram } from '#test/harness/run-program.ts';
import { useTestFolder } from '#test/harness/test-folder.ts';

const scratch = useTestFolder();

const newFolder = (): string => mkdtempSync(join(scratch, 'folder-'));

/** Tries the lock in a separate process; with `hold` the process then waits to be killed. */
function lockElsewhere(folder: string, hold = false) {
  const program = `
    const { lockFolder } = await import('${join(import.meta.dir, '../../runtime/process/folder-lock.ts')}');
    console.log(lockFolder('${folder}') === null ? 'refused' : 'locked');
    ${hold ? 'setInterval(() => {}, 60_000);' : ''}
  `;
  return startProgram([process.execPath, '-e', program]);
}

test('only one holder at a time can lock a folder', async () => {
  const folder = newFolder();
  const lock = lockFolder(folder);
  expect(lockFolder(folder)).toBeNull();
  expect(await lockElsewhere(folder).ended).toMatchObject({ printed: 'refused\n' });
  lock?.release();
  expect(await lockElsewhere(folder).ended).toMatchObject({ printed: 'locked\n' });
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
  await holder.until(/locked/);
  expect(lockFolder(folder)).toBeNull();
  holder.child.kill('SIGKILL');
  await holder.ended;
  expect(lockFolder(folder)).not.toBeNull();
});

test('the operator’s key takes precedence and nothing is written', async () => {
  const dataDir = join(scratch, 'given');
  expect(await loadSecretKey({ dataDir, secretKey: 'a key of the operator' })).toBe('a key of the operator');
  expect(() => statSync(dataDir)).toThrow();
});

test('a key is created once, readable only by this user, and kept', async () => {
  const dataDir = join(scratch, 'made');
  const key = await loadSecretKey({ dataDir, secretKey: null });
  expect(Buffer.from(key, 'base64url')).toHaveLength(32);
  expect(statSync(join(dataDir, 'secret-key')).mode & 0o777).toBe(0o600);
  expect(await loadSecretKey({ dataDir, secretKey: null })).toBe(key);
});

test('processes that start at the same moment get the same key', async () => {
  const dataDir = join(scratch, 'race');
  const program = `
    const { loadSecretKey } = await import('${join(import.meta.dir, '../../runtime/settings/load-secret-key.ts')}');
    console.log(await loadSecretKey({ dataDir: '${dataDir}', secretKey: null }));
  `;
  const processes = Array.from({ length: 8 }, () => runProgram([process.execPath, '-e', program]));
  const keys = (await Promise.all(processes)).map(({ printed }) => printed.trim());
  expect(new Set(keys).size).toBe(1);
  expect(keys[0]).toHaveLength(43);
  expect(readdirSync(dataDir)).toEqual(['secret-key']);
});

test('a damaged key file is rejected and not replaced, because hashes made with the old key would be lost', async () => {
  const dataDir = join(scratch, 'damaged');
  await loadSecretKey({ dataDir, secretKey: null });
  writeFileSync(join(dataDir, 'secret-key'), 'short');
  await expect(loadSecretKey({ dataDir, secretKey: null })).rejects.toThrow('contains no usable key');
});
