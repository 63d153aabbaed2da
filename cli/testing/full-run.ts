/**
 * Without this, `bun test` would run all files in one process, including the long ones and those on Postgres, and without
 * the servers that they need.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '#runtime/project-files.ts';
import { findRedisServer } from '#runtime/redis/find-redis-server.mjs';

/**
 * Turns a `bun test` without file names into `npm test`, which installs what is missing. With file names, `bun test`
 * installs it too if there is no Redis, then continues.
 */
export function handOverFullRun(): void {
  // `npm test` has started this run.
  if (process.env['TEST_LOADED_FILES'] !== undefined) return;
  const words = typedWords();
  if (words.includes('--test-worker')) return;
  const isFullRun = words.every((word) => word.startsWith('--'));
  if (!isFullRun && findRedisServer() !== null) return;
  const exitCode = runScript(['cli/bootstrap.mjs', '--for-tests']);
  if (exitCode !== 0) process.exit(exitCode);
  if (isFullRun) process.exit(runScript(['cli/run-tests.ts', ...words]));
}

/** The arguments of `bun test`. Bun hides them: `process.argv` names the first file to run. */
function typedWords(): readonly string[] {
  const ofLinux = '/proc/self/cmdline';
  const typed = existsSync(ofLinux)
    ? readFileSync(ofLinux, 'utf8').split('\0').slice(0, -1)
    : Bun.spawnSync(['ps', '-ww', '-o', 'command=', '-p', String(process.pid)])
        .stdout.toString()
        .trim()
        .split(/\s+/);
  return typed.slice(typed.indexOf('test') + 1);
}

/** Runs a script with the project's own Bun, which the bootstrap installs; the one that was called may be older. */
function runScript([script, ...words]: readonly [string, ...string[]]): number {
  const ofProject = join(projectFolder, 'node_modules/.bin/bun');
  const bun = existsSync(ofProject) ? ofProject : process.execPath;
  const command = [bun, join(projectFolder, script), ...words];
  return Bun.spawnSync(command, { stdio: ['inherit', 'inherit', 'inherit'] }).exitCode;
}
