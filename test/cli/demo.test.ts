/** The demo, interrupted halfway. */
import { expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startProgram } from '#test/harness/run-program.ts';

const command = join(import.meta.dirname, '..', '..', 'cli', 'demo.ts');

test('an interrupted demo says so, reports no error of the hub and leaves nothing behind', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'agent-hub-tour-'));
  const demo = startProgram([process.execPath, command], {
    env: { PATH: process.env['PATH'], HOME: folder, TMPDIR: folder },
  });
  await demo.until(/The sample agent listens/);
  demo.child.kill('SIGINT');
  expect(await demo.ended).toMatchObject({ exitCode: 130, complaints: '\nInterrupted.\n' });
  expect(readdirSync(folder).filter((name) => name.startsWith('agent-hub-demo-'))).toEqual([]);
  rmSync(folder, { recursive: true, force: true });
});
