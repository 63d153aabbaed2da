/** The machine and the versions of a run: figures of different machines or versions are not comparable. */
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { findRedisServer } from '#runtime/redis/find-redis-server.mjs';

const bytesInGb = 1024 ** 3;

export function describeMachine(): string {
  const { length: cores, 0: core } = cpus();
  return [
    `commit ${readCommit()}, ${new Date().toISOString()}`,
    `${cores} × ${core?.model.trim() ?? 'unknown'}, ${Math.round(totalmem() / bytesInGb)} GB, ${process.platform} ${process.arch}, Bun ${Bun.version}, Redis ${readRedisVersion()}`,
  ].join('\n');
}

/** The version of the benchmark's Redis, such as `7.0.15`. */
function readRedisVersion(): string {
  const program = findRedisServer();
  const said = program === null ? '' : outputOf([program, '--version']);
  return /\bv=(\S+)/.exec(said)?.[1] ?? 'unknown';
}

/** The commit, with `+` if files have changed since; `unknown` outside a repository. */
function readCommit(): string {
  const commit = outputOf(['git', 'rev-parse', '--short', 'HEAD']).trim();
  if (commit === '') return 'unknown';
  return outputOf(['git', 'status', '--porcelain', '--untracked-files=no']) === '' ? commit : `${commit}+`;
}

/** The output of a command; empty if it fails or does not exist. */
function outputOf(command: readonly string[]): string {
  try {
    const { exitCode, stdout } = Bun.spawnSync([...command], {
      cwd: join(import.meta.dir, '..'),
      stderr: 'ignore',
    });
    return exitCode === 0 ? stdout.toString() : '';
  } catch {
    return '';
  }
}
