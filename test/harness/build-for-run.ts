/** The main function of the processes that keep compiled hubs. */
import { join } from 'node:path';
import { projectFolder } from '#runtime/project-files.ts';
import { keepForRun } from './run-share.ts';

const buildTimeoutMs = 60_000;

/** @param entry the entry point, relative to the project */
export async function buildForRun(entry: string): Promise<void> {
  await keepForRun(async (folder) => {
    const place = join(folder, 'hub');
    const program = join(projectFolder, 'cli', 'build.ts');
    const build = Bun.spawn([process.execPath, program, '--outfile', place, '--entry', entry], {
      stdin: 'ignore',
      stdout: 'ignore',
      stderr: 'pipe',
      timeout: buildTimeoutMs,
    });
    const complaints = await Bun.readableStreamToText(build.stderr);
    if ((await build.exited) !== 0) throw new Error(`The build failed:\n${complaints}`);
    return { place, end: () => Promise.resolve() };
  });
}
