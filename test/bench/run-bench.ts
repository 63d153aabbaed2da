/** Runs `npm run bench` at its smallest size, which shows that a measure works but not how fast the hub is. */
import { expect } from 'bun:test';
import { join } from 'node:path';
import { hubBinary } from '#test/harness/hub-binary.ts';

export const root = join(import.meta.dirname, '..', '..');
export const timeoutMs = 240_000;

export async function runBench(...options: readonly string[]): Promise<string> {
  const bench = Bun.spawn(
    [process.execPath, 'bench/main.ts', '--size', 'smoke', '--hub', hubBinary, ...options],
    {
      cwd: root,
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    },
  );
  const [printed, errors, exitCode] = await Promise.all([
    new Response(bench.stdout).text(),
    new Response(bench.stderr).text(),
    bench.exited,
  ]);
  expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' });
  return printed;
}
