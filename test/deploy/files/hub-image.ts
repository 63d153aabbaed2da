/**
 * Builds the image of the hub without a container engine: the last stage of the Dockerfile, on a Debian of this machine's
 * packages, with the binary of the test run as the result of the first stage.
 */
import { chmod, copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootPath } from '#test/harness/container-network.ts';
import { type ContainerUser } from '#test/harness/containers.ts';
import { copyDebian } from '#test/harness/debian-root.ts';
import { hubBinary } from '#test/harness/hub-binary.ts';
import { type Instruction, lastStage, readDeployFile, readInstructions } from './read-deploy-file.ts';
import { runProgram } from '#test/harness/run-program.ts';

export interface HubImage {
  /** The folder with its file system. */
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
  readonly user: ContainerUser;
  readonly folder: string;
  readonly entrypoint: readonly string[];
  readonly stopSignal: NodeJS.Signals;
  /** What an engine puts into a new volume: a copy of what the image has at this path. */
  newVolume(path: string): Promise<string>;
  remove(): Promise<void>;
}

/** They declare what only an engine uses, or what a deployment replaces. */
const ignored = new Set(['FROM', 'VOLUME', 'EXPOSE', 'HEALTHCHECK', 'CMD']);

export async function buildHubImage(): Promise<HubImage> {
  const root = await copyDebian();
  const stage = lastStage(readInstructions(readDeployFile('Dockerfile')));
  const volumes: string[] = [];
  for (const instruction of stage) await carryOut(instruction, root);
  const last = (name: string): string => stage.findLast((one) => one.name === name)?.rest ?? '';
  const [uid = 0, gid = 0] = last('USER').split(':').map(Number);
  return {
    root,
    env: Object.fromEntries(
      last('ENV')
        .split(' ')
        .map((pair) => pair.split('=')),
    ) as Record<string, string>,
    user: { uid, gid },
    folder: last('WORKDIR'),
    // Another test checks that it is a list of words.
    entrypoint: JSON.parse(last('ENTRYPOINT')) as readonly string[],
    // The Dockerfile names one.
    stopSignal: last('STOPSIGNAL') as NodeJS.Signals,
    newVolume: async (path) => {
      const volume = await mkdtemp(join(tmpdir(), 'agent-hub-volume-'));
      volumes.push(volume);
      await succeed(['cp', '--archive', '--no-target-directory', join(root, path), volume]);
      return volume;
    },
    remove: async () => {
      for (const folder of [root, ...volumes]) await rm(folder, { recursive: true, force: true });
    },
  };
}

async function carryOut({ name, rest }: Instruction, root: string): Promise<void> {
  switch (name) {
    case 'RUN':
      await succeed(['chroot', root, 'sh', '-c', rest]);
      return;
    case 'COPY': {
      const [, mode = '', source, target = ''] = /^--from=build --chmod=(\d+) (\S+) (\S+)$/.exec(rest) ?? [];
      if (source !== '/source/dist/hub') throw new Error(`COPY ${rest} copies something else.`);
      await copyFile(hubBinary, join(root, target));
      await chmod(join(root, target), Number.parseInt(mode, 8));
      return;
    }
    case 'USER':
    case 'WORKDIR':
    case 'ENV':
    case 'STOPSIGNAL':
    case 'ENTRYPOINT':
      return;
    default:
      if (!ignored.has(name)) throw new Error(`The tests do not know the instruction ${name}.`);
  }
}

async function succeed(words: readonly string[]): Promise<void> {
  const { exitCode, complaints } = await runProgram(words, { env: { PATH: rootPath } });
  if (exitCode !== 0) throw new Error(`\`${words.join(' ')}\` failed: ${complaints}`);
}
