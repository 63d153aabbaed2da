/**
 * Runs the start scripts of a Kubernetes variant as its pods do, with each server on a port of its own and the name
 * `localhost` instead of the name of a pod.
 */
import { Redis } from 'ioredis';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { projectFolder } from '#runtime/project-files.ts';
import { spawnTethered, type TetheredProcess } from '#runtime/process/tethered-process.ts';
import {
  findRedisServer,
  UNPACKED_REDIS_DIR,
  UNPACKED_REDIS_SERVER,
} from '#runtime/redis/find-redis-server.mjs';
import { waitUntil } from './wait-until.ts';

/** Also tests that the scripts quote it. */
export const podPassword = 'p"a\\ss $word';

export interface ScriptPod {
  readonly port: number;
  readonly admin: Redis;
  /** Starts it, with the data that it has, and waits until it responds. */
  start(): Promise<void>;
  /** Ends it at once, as the loss of its node does. */
  kill(): Promise<void>;
  loseData(): Promise<void>;
  /** A file of its volume. */
  read(file: string): Promise<string>;
}

export interface ScriptPods {
  /** Does not start it. */
  add(script: string, port: number, environment: Readonly<Record<string, string>>): Promise<ScriptPod>;
  stop(): Promise<void>;
}

/** @param changes replacements in the files of the variant, such as shorter times */
export async function prepareScripts(
  variant: string,
  changes: readonly { readonly file: string; readonly from: RegExp; readonly to: string }[],
): Promise<ScriptPods> {
  const folder = await mkdtemp(join(tmpdir(), 'agent-hub-variant-'));
  const programs = join(folder, 'bin');
  const scripts = join(folder, 'scripts');
  await cp(join(projectFolder, 'deploy', 'kubernetes', 'variants', variant), scripts, { recursive: true });
  for (const { file, from, to } of changes) {
    const text = await readFile(join(scripts, file), 'utf8');
    if (!from.test(text)) throw new Error(`${file} does not contain ${from}.`);
    await writeFile(join(scripts, file), text.replace(from, to));
  }
  await writePrograms(programs);
  const pods: ScriptPod[] = [];
  return {
    add: async (script, port, environment) => {
      const data = join(folder, String(port));
      await mkdir(data);
      const env = {
        PATH: `${programs}${delimiter}${process.env['PATH']}`,
        HOST: 'localhost',
        PORT: String(port),
        REDISCLI_AUTH: podPassword,
        ...environment,
      };
      const pod = scriptPod(join(scripts, script), data, port, env);
      pods.push(pod);
      return pod;
    },
    stop: async () => {
      await Promise.all(pods.map(async (pod) => pod.kill()));
      for (const { admin } of pods) admin.disconnect();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function scriptPod(
  script: string,
  data: string,
  port: number,
  env: Readonly<Record<string, string>>,
): ScriptPod {
  let server: TetheredProcess | null = null;
  const admin = new Redis({
    host: 'localhost',
    port,
    password: podPassword,
    lazyConnect: true,
    retryStrategy: () => 50,
    maxRetriesPerRequest: null,
  });
  // It is killed and started again.
  admin.on('error', () => undefined);
  return {
    port,
    admin,
    start: async () => {
      const started = spawnTethered({
        command: ['sh', '-c', 'cd "$1" && exec sh "$2"', 'pod', data, script],
        stopSignal: 'SIGKILL',
        env,
      });
      server = started;
      await waitUntil(async () => (await admin.ping()) === 'PONG').catch((cause: unknown) => {
        throw new Error(`${script} started no server: ${started.output()}`, { cause });
      });
    },
    kill: async () => server?.stop(0),
    loseData: async () => {
      await rm(data, { recursive: true });
      await mkdir(data);
    },
    read: async (file) => readFile(join(data, file), 'utf8'),
  };
}

/** The programs of the image that the scripts need, under the names that they use. */
async function writePrograms(folder: string): Promise<void> {
  const bodies = {
    'redis-server': `exec '${findRedisServer()}' "$@"`,
    'redis-cli': await startRedisCli(),
    // macOS has none.
    timeout: 'shift; exec "$@"',
  };
  await mkdir(folder);
  for (const [name, body] of Object.entries(bodies)) {
    await writeFile(join(folder, name), `#!/bin/sh\n${body}\n`);
    await chmod(join(folder, name), 0o755);
  }
}

async function startRedisCli(): Promise<string> {
  const client = Bun.which('redis-cli') ?? Bun.which('valkey-cli');
  if (client !== null) return `exec '${client}' "$@"`;
  // Unpacked beside the server, with the same libraries.
  const starter = await readFile(UNPACKED_REDIS_SERVER, 'utf8');
  return starter
    .replace('here=${0%/*}', `here='${UNPACKED_REDIS_DIR}'`)
    .replace('bin/redis-server', 'bin/redis-cli');
}
