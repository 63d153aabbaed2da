/** The command line of the hub, each command as a process of its own with none of our settings. */
import { tmpdir } from 'node:os';
import type { DatabaseSetting } from '#db/database.ts';
import { hubBinary } from './hub-binary.ts';

export interface EndedCommand {
  readonly exitCode: number;
  readonly printed: string;
  readonly complaints: string;
  /** What `--json` printed. */
  readonly json: () => unknown;
}

/** Runs one command to its end, with nobody at its input. */
export async function runHubCommand(
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<EndedCommand> {
  const child = Bun.spawn([hubBinary, ...words], {
    // Away from the project, so that no default of a setting points at a real hub.
    cwd: tmpdir(),
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    env: { PATH: process.env['PATH'], HOME: tmpdir(), TMPDIR: tmpdir(), ...env },
  });
  const [printed, complaints, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { exitCode, printed, complaints, json: () => JSON.parse(printed) as unknown };
}

/** What `DATABASE_URL` says for a store. */
export function databaseUrlOf(setting: DatabaseSetting): string {
  return setting.kind === 'sqlite' ? `sqlite:${setting.file}` : setting.url;
}
