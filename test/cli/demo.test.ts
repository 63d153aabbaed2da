/** The demo, interrupted halfway. */
import { expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const command = join(import.meta.dirname, '..', '..', 'cli', 'demo.ts');

test('an interrupted demo says so, reports no error of the hub and leaves nothing behind', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'agent-hub-tour-'));
  const demo = Bun.spawn([process.execPath, command], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    env: { PATH: process.env['PATH'], HOME: folder, TMPDIR: folder },
  });
  const complaints = new Response(demo.stderr).text();
  const decoder = new TextDecoder();
  let printed = '';
  let isTold = false;
  for await (const chunk of demo.stdout) {
    printed += decoder.decode(chunk, { stream: true });
    if (isTold || !printed.includes('The sample agent listens')) continue;
    isTold = true;
    demo.kill('SIGINT');
  }
  expect(printed).toContain('The sample agent listens');
  expect(await complaints).toBe('\nInterrupted.\n');
  expect(await demo.exited).toBe(130);
  expect(readdirSync(folder).filter((name) => name.startsWith('agent-hub-demo-'))).toEqual([]);
  rmSync(folder, { recursive: true, force: true });
});
