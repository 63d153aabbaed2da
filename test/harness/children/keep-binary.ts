/** Keeps the compiled hub for one test run. */
import { join } from 'node:path';
import { projectFolder } from '#runtime/project-files.ts';
import { keepForRun } from '../run-share.ts';

const buildTimeoutMs = 170_000;

await keepForRun(async (folder) => {
  const place = join(folder, 'hub');
  const program = join(projectFolder, 'cli', 'build.ts');
  const build = Bun.spawn([process.execPath, program, '--outfile', place], {
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
    timeout: buildTimeoutMs,
  });
  const complaints = await Bun.readableStreamToText(build.stderr);
  if ((await build.exited) !== 0) throw new Error(`The build failed:\n${complaints}`);
  return { place, end: () => Promise.resolve() };
});
