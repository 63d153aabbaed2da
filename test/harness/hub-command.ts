/** Runs hub commands, each in a process of its own without our settings. */
import { tmpdir } from 'node:os';
import type { DatabaseSetting } from '#db/database.ts';
import { hubBinary } from './hub-binary.ts';
import { shortLived } from './short-lived.ts';
import { runProgram } from './run-program.ts';

export type EndedCommand = Awaited<ReturnType<typeof runHubCommand>>;

/** Runs one command to completion, without input. */
export async function runHubCommand(words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const ended = await runProgram([hubBinary, ...words], {
    // Outside the project, so that no default setting refers to a real hub.
    cwd: tmpdir(),
    env: { PATH: process.env['PATH'], HOME: tmpdir(), TMPDIR: tmpdir(), ...shortLived, ...env },
  });
  return { ...ended, /** The output of `--json`. */ json: () => JSON.parse(ended.printed) as unknown };
}

/** The value of `DATABASE_URL` for a store. */
export function databaseUrlOf(setting: DatabaseSetting): string {
  return setting.kind === 'sqlite' ? `sqlite:${setting.file}` : setting.url;
}
