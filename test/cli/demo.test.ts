/** The demo, interrupted halfway. */
import { expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { startProgram } from '#test/harness/run-program.ts';
import { useTestFolder } from '#test/harness/test-folder.ts';

const command = join(import.meta.dirname, '..', '..', 'cli', 'demo.ts');
const folder = useTestFolder();

test('an interrupted demo says so, reports no error of the hub and leaves nothing behind', async () => {
  const demo = startProgram([process.execPath, command], {
    env: { PATH: process.env['PATH'], HOME: folder, TMPDIR: folder },
  });
  await demo.until(/The sample agent listens/);
  demo.child.kill('SIGINT');
  expect(await demo.ended).toMatchObject({ exitCode: 130, complaints: '\nInterrupted.\n' });
  expect(readdirSync(folder).filter((name) => name.startsWith('agent-hub-demo-'))).toEqual([]);
});
