/** Runs hub commands, each in a process of its own without our settings. */
import { tmpdir } from 'node:os';
import type { DatabaseSetting } from '#db/database.ts';
import { hubBinary } from './hub-binary.ts';
import { shortLived } from './short-lived.ts';
import { type EndedProgram, runProgram } from './run-program.ts';

export interface EndedCommand extends EndedProgram {
  /** The output of `--json`. */
  readonly json: () => unknown;
}

/** Runs one command to completion, without input. */
export async function runHubCommand(
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<EndedCommand> {
  const ended = await runProgram([hubBinary, ...words], {
    // Outside the project, so that no default setting refers to a real hub.
    cwd: tmpdir(),
    env: { PATH: process.env['PATH'], HOME: tmpdir(), TMPDIR: tmpdir(), ...shortLived, ...env },
  });
  return { ...ended, json: () => JSON.parse(ended.printed) as unknown };
}

/** The value of `DATABASE_URL` for a store. */
export function databaseUrlOf(setting: DatabaseSetting): string {
  return setting.kind === 'sqlite' ? `sqlite:${setting.file}` : setting.url;
}
