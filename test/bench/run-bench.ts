/** A slice of `npm run bench` at its smallest size, which shows that every measure still runs and says nothing of speed. */
import { expect } from 'bun:test';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '..', '..');
export const timeoutMs = 120_000;

export async function runBench(...words: readonly string[]): Promise<string> {
  const bench = Bun.spawn([process.execPath, 'bench/main.ts', '--size', 'smoke', ...words], {
    cwd: root,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [printed, faults, exitCode] = await Promise.all([
    new Response(bench.stdout).text(),
    new Response(bench.stderr).text(),
    bench.exited,
  ]);
  expect({ exitCode, faults }).toEqual({ exitCode: 0, faults: '' });
  return printed;
}
