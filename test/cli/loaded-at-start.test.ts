/** What the processes of a hub load at their start, which decides how much processor time and memory they take. */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { projectFolder } from '#runtime/project-files.ts';
import { supervised } from '#runtime/process/shutdown.ts';
import { databaseUrlOf } from '#test/harness/hub-command.ts';
import { useTestRedis } from '#test/harness/redis.ts';
import { testSecretKey } from '#test/harness/secret-key.ts';
import { forEachStore, onStore, type TestStore } from '#test/harness/stores.ts';
import { useTestFolder } from '#test/harness/test-folder.ts';

const preload = join(import.meta.dirname, '..', 'harness', 'children', 'list-loaded-files.ts');
const programs = { api: ['api'], worker: ['worker', '--pool', 'mail'], version: ['--version'] } as const;

const folder = useTestFolder();
const redis = useTestRedis();

/**
 * Runs a program until it is ready or ends. From its sources, since the compiled binary is one file.
 * @returns paths relative to the project
 */
async function filesLoadedBy(
  program: keyof typeof programs,
  { setting }: TestStore,
): Promise<readonly string[]> {
  const list = join(folder, 'loaded.json');
  const child = Bun.spawn(
    [process.execPath, '--preload', preload, join(projectFolder, 'cli', 'binary.ts'), ...programs[program]],
    {
      env: {
        PATH: process.env['PATH'] ?? '',
        DATABASE_URL: databaseUrlOf(setting),
        REDIS_URL: redis.url,
        SECRET_KEY: testSecretKey,
        PORT: '0',
        LOADED_FILES: list,
        [supervised]: '1',
      },
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'inherit',
      // A supervised process reports that it is ready.
      ipc: (_report, ready) => ready.kill('SIGTERM'),
    },
  );
  expect(await child.exited).toBe(0);
  const files = JSON.parse(readFileSync(list, 'utf8')) as string[]; // The child wrote it.
  return files.map((file) => relative(projectFolder, file));
}

forEachStore((store) => {
  test('the API loads the driver and the tables of its own store only, and neither the MCP library nor Bull Board', async () => {
    const loaded = await filesLoadedBy('api', store);
    expectOwn(store, loaded);
    expect(loaded.filter((file) => /@modelcontextprotocol|@bull-board/.test(file))).toEqual([]);
    // The list has packages.
    expect(loaded.filter((file) => file.includes('node_modules/elysia/')).length).toBeGreaterThan(0);
  });
});

onStore('sqlite', (store) => {
  test('a worker loads the driver and the tables of its own store only', async () => {
    expectOwn(store, await filesLoadedBy('worker', store));
  });

  test('the version is shown without the commands and the Redis client', async () => {
    const loaded = await filesLoadedBy('version', store);
    expect(loaded).toContain('cli/hub/command-groups.ts');
    expect(loaded.filter((file) => /^cli\/hub\/groups\/|\/ioredis\//.test(file))).toEqual([]);
  });
});

function expectOwn({ dialect }: TestStore, loaded: readonly string[]): void {
  const files = ['sqlite', 'postgres'].flatMap((each) => [`db/${each}.ts`, `db/schema/${each}.ts`]);
  expect(files.filter((file) => loaded.includes(file))).toEqual([
    `db/${dialect}.ts`,
    `db/schema/${dialect}.ts`,
  ]);
}
