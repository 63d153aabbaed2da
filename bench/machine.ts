/**
 * The machine and the versions of a run: figures of different machines or store versions are not comparable.
 */
import { Type, type Static } from 'typebox';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { findRedisServer } from '#runtime/redis/find-redis-server.mjs';

export const Machine = Type.Object({
  cpu: Type.String(),
  cores: Type.Integer(),
  memoryGb: Type.Integer(),
  platform: Type.String(),
});
export type Machine = Static<typeof Machine>;

const bytesInGb = 1024 ** 3;

export function readMachine(): Machine {
  const { length: cores, 0: core } = cpus();
  return {
    cpu: core?.model.trim() ?? 'unknown',
    cores,
    memoryGb: Math.round(totalmem() / bytesInGb),
    platform: `${process.platform} ${process.arch}`,
  };
}

export function isSameMachine(one: Machine, other: Machine): boolean {
  return (
    one.cpu === other.cpu &&
    one.cores === other.cores &&
    one.memoryGb === other.memoryGb &&
    one.platform === other.platform
  );
}

/** The version of the benchmark's Redis, such as `7.0.15`. */
export function readRedisVersion(): string {
  const program = findRedisServer();
  const said = program === null ? '' : outputOf([program, '--version']);
  return /\bv=(\S+)/.exec(said)?.[1] ?? 'unknown';
}

/** The commit, with `+` if files have changed since; `unknown` outside a repository. */
export function readCommit(): string {
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
