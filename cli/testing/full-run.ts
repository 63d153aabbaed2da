/**
 * Without this, `bun test` would run all files in one process, including the long ones and those on Postgres, and without
 * the servers that they need.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '#runtime/project-files.ts';
import { findRedisServer } from '#runtime/redis/find-redis-server.mjs';

/** Flags of Bun that select tests, or run them again at every change. */
const ofBun = /^(?:-t|--(?:test-name-pattern|only|todo|watch|hot)(?:=.*)?)$/;

/**
 * Turns a `bun test` of all tests into `npm test`, which installs what is missing. With names of files or tests, or with
 * `--watch`, `bun test` installs it too if there is no Redis, then continues.
 */
export function handOverFullRun(): void {
  // `npm test` has started this run.
  if (process.env['TEST_LOADED_FILES'] !== undefined) return;
  const { before, words } = typedWords();
  if (words.includes('--test-worker')) return;
  const isFullRun =
    words.every((word) => word.startsWith('--')) && ![...before, ...words].some((word) => ofBun.test(word));
  if (!isFullRun && findRedisServer() !== null) return;
  const exitCode = runScript(['cli/bootstrap.mjs', '--for-tests']);
  if (exitCode !== 0) process.exit(exitCode);
  if (isFullRun) process.exit(runScript(['cli/run-tests.ts', ...words]));
}

/** The words of the command before and after `test`. Bun hides them: `process.argv` names the first file to run. */
function typedWords(): Readonly<Record<'before' | 'words', readonly string[]>> {
  const ofLinux = '/proc/self/cmdline';
  const typed = existsSync(ofLinux)
    ? readFileSync(ofLinux, 'utf8').split('\0').slice(0, -1)
    : Bun.spawnSync(['ps', '-ww', '-o', 'command=', '-p', String(process.pid)])
        .stdout.toString()
        .trim()
        .split(/\s+/);
  const at = typed.indexOf('test');
  return { before: typed.slice(0, at), words: typed.slice(at + 1) };
}

/** Runs a script with the project's own Bun, which the bootstrap installs; the one that was called may be older. */
function runScript([script, ...words]: readonly [string, ...string[]]): number {
  const ofProject = join(projectFolder, 'node_modules/.bin/bun');
  const bun = existsSync(ofProject) ? ofProject : process.execPath;
  const command = [bun, join(projectFolder, script), ...words];
  return Bun.spawnSync(command, { stdio: ['inherit', 'inherit', 'inherit'] }).exitCode;
}
