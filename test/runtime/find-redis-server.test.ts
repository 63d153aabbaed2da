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

test('a Redis server on PATH is found before a Valkey server, wherever the two lie', () => {
  const valkey = folderWith('valkey-server', 0o755);
  const redis = folderWith('redis-server', 0o755);
  expect(findRedisServer(`${valkey}:${redis}`)).toBe(join(redis, 'redis-server'));
  expect(findRedisServer(`:${valkey}:`)).toBe(join(valkey, 'valkey-server'));
});

test('files that cannot be run, and folders of that name, are passed over', () => {
  const file = folderWith('redis-server', 0o644);
  const folder = mkdtempSync(join(scratch, 'bin-'));
  mkdirSync(join(folder, 'redis-server'));
  const valkey = folderWith('valkey-server', 0o755);
  expect(findRedisServer(`${file}:${folder}:${valkey}`)).toBe(join(valkey, 'valkey-server'));
});
