import { afterAll, expect, test } from 'bun:test';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findRedisServer } from '#runtime/redis/find-redis-server.mjs';

const scratch = mkdtempSync(join(tmpdir(), 'agent-hub-test-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

function folderWith(name: string, mode: number): string {
  const folder = mkdtempSync(join(scratch, 'bin-'));
  writeFileSync(join(folder, name), '');
  chmodSync(join(folder, name), mode);
  return folder;
}

test('redis-server on PATH is preferred over valkey-server, whatever their order on PATH', () => {
  const valkey = folderWith('valkey-server', 0o755);
  const redis = folderWith('redis-server', 0o755);
  expect(findRedisServer(`${valkey}:${redis}`)).toBe(join(redis, 'redis-server'));
  expect(findRedisServer(`:${valkey}:`)).toBe(join(valkey, 'valkey-server'));
});

test('files that are not executable and folders with that name are skipped', () => {
  const file = folderWith('redis-server', 0o644);
  const folder = mkdtempSync(join(scratch, 'bin-'));
  mkdirSync(join(folder, 'redis-server'));
  const valkey = folderWith('valkey-server', 0o755);
  expect(findRedisServer(`${file}:${folder}:${valkey}`)).toBe(join(valkey, 'valkey-server'));
});
