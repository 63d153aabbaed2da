/** The compiled hub on a machine that has Redis and a shell, and nothing else of ours. */
import { chmodSync, copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findRedisServer } from '#runtime/redis/find-redis-server.mjs';
import { hubBinary } from './hub-binary.ts';

export interface BareMachine {
  /** The binary, a copy of its own. */
  readonly hub: string;
  /** Where it is run; not empty, as somebody else works here. */
  readonly folder: string;
  /** A PATH. */
  readonly path: string;
}

/** What the shell needs that keeps a private Redis from being left behind. */
const systemPrograms = ['sh', 'sleep', 'rm'] as const;

/** Puts the binary into a new folder, with a PATH of its own beside it. */
export function makeBareMachine(scratch: string): BareMachine {
  const folder = join(scratch, 'somewhere');
  const bin = join(scratch, 'bin');
  mkdirSync(folder);
  mkdirSync(bin);
  const hub = join(bin, 'hub');
  copyFileSync(hubBinary, hub);
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
