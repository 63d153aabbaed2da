/** The compiled hub on a machine that has Redis and a shell, and nothing else of ours. */
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findRedisServer } from '#runtime/find-redis-server.mjs';
import { projectFolder } from '#runtime/project-files.ts';

export interface BareMachine {
  /** The binary. */
  readonly hub: string;
  /** Where it is run; not empty, as somebody else works here. */
  readonly folder: string;
  /** A PATH. */
  readonly path: string;
}

/** What the shell needs that keeps a private Redis from being left behind. */
const systemPrograms = ['sh', 'sleep', 'rm'] as const;
const buildTimeoutMs = 60_000;

/** Builds the binary into a new folder, with a PATH of its own beside it. */
export function buildBareMachine(scratch: string): BareMachine {
  const folder = join(scratch, 'somewhere');
  const bin = join(scratch, 'bin');
  mkdirSync(folder);
  mkdirSync(bin);
  const hub = join(bin, 'hub');
  const { exitCode, stderr } = Bun.spawnSync(
    [process.execPath, join(projectFolder, 'cli', 'build.ts'), '--outfile', hub],
    { cwd: folder, stdin: 'ignore', stdout: 'ignore', stderr: 'pipe', timeout: buildTimeoutMs },
  );
  if (exitCode !== 0) throw new Error(`The build failed:\n${stderr.toString()}`);
  for (const name of systemPrograms) symlinkSync(pathOf(name), join(bin, name));
  writeFileSync(join(bin, 'redis-server'), `#!/bin/sh\nexec '${redisServer()}' "$@"\n`);
  chmodSync(join(bin, 'redis-server'), 0o755);
  return { hub, folder, path: bin };
}

function redisServer(): string {
  const program = findRedisServer();
  if (program === null) throw new Error('There is no redis-server; `npm test` installs one.');
  return program;
}

function pathOf(name: string): string {
  const path = Bun.which(name);
  if (path === null) throw new Error(`There is no ${name}.`);
  return path;
}
