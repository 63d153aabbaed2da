/** Sets up the compiled hub with a PATH that contains only Redis and a shell. */
import { chmodSync, copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findRedisServer } from '#runtime/redis/find-redis-server.mjs';
import { hubBinary } from './hub-binary.ts';

export type BareMachine = ReturnType<typeof makeBareMachine>;

/** The programs of the shell script that ends a private Redis with its hub. */
const systemPrograms = ['sh', 'sleep', 'rm'] as const;

/** Copies the binary to a new folder, with a PATH of its own beside it. */
export function makeBareMachine(scratch: string) {
  /** The working directory, which contains files of others. */
  const folder = join(scratch, 'somewhere');
  const bin = join(scratch, 'bin');
  mkdirSync(folder);
  mkdirSync(bin);
  const hub = join(bin, 'hub');
  copyFileSync(hubBinary, hub);
  for (const name of systemPrograms) symlinkSync(existing(name, Bun.which(name)), join(bin, name));
  const redisServer = existing('redis-server', findRedisServer());
  writeFileSync(join(bin, 'redis-server'), `#!/bin/sh\nexec '${redisServer}' "$@"\n`);
  chmodSync(join(bin, 'redis-server'), 0o755);
  return { hub, folder, path: bin };
}

function existing(name: string, path: string | null): string {
  if (path === null) throw new Error(`There is no ${name}.`);
  return path;
}
