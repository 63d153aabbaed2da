/** Runs hub commands, each in a process of its own without our settings. */
import { tmpdir } from 'node:os';
import type { DatabaseSetting } from '#db/database.ts';
import { hubBinary } from './hub-binary.ts';
import { shortLived } from './short-lived.ts';

export interface EndedCommand {
  readonly exitCode: number;
  readonly printed: string;
  readonly complaints: string;
  /** The output of `--json`. */
  readonly json: () => unknown;
}

/** Runs one command to completion, without input. */
export async function runHubCommand(
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<EndedCommand> {
  const child = Bun.spawn([hubBinary, ...words], {
    // Outside the project, so that no default setting refers to a real hub.
    cwd: tmpdir(),
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    env: { PATH: process.env['PATH'], HOME: tmpdir(), TMPDIR: tmpdir(), ...shortLived, ...env },
  });
  const [printed, complaints, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { exitCode, printed, complaints, json: () => JSON.parse(printed) as unknown };
}

/** The value of `DATABASE_URL` for a store. */
export function databaseUrlOf(setting: DatabaseSetting): string {
  return setting.kind === 'sqlite' ? `sqlite:${setting.file}` : setting.url;
}
