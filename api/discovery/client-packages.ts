/**
 * The clients that this hub serves: always of its own version, so agents need nothing of this project from a registry.
 * The binary contains them; a hub that runs from the sources packs each when it is first requested.
 */
import { join } from 'node:path';
import { projectFolder } from '#runtime/project-files.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { packForNpm } from './npm-package.ts';
import { packWheel } from './python-wheel.ts';

export interface ClientPackage {
  readonly path: `/clients/${string}`;
  readonly contentType: string;
  pack(): Promise<Uint8Array<ArrayBuffer>>;
}

export const npmPackage: ClientPackage = {
  path: '/clients/agent-hub-client.tgz',
  contentType: 'application/gzip',
  pack: packForNpm,
};

/** pip reads name, version and platform from the name of the file. */
export const pythonWheel: ClientPackage = {
  path: `/clients/agent_hub_client-${packageJson.version}-py3-none-any.whl`,
  contentType: 'application/zip',
  pack: packWheel,
};

export const clientPackages = [npmPackage, pythonWheel];

/** In the binary; below the folder of the project. */
export const packedFileOf = ({ path }: ClientPackage): string => path.slice(1);

const packed = new Map<ClientPackage, Promise<Uint8Array<ArrayBuffer>>>();

export function readClientPackage(wanted: ClientPackage): Promise<Uint8Array<ArrayBuffer>> {
  return packed.getOrInsertComputed(wanted, readOrPack);
}

async function readOrPack(wanted: ClientPackage): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return Bun.isStandaloneExecutable
      ? await Bun.file(join(projectFolder, packedFileOf(wanted))).bytes()
      : await wanted.pack();
  } catch (error) {
    packed.delete(wanted);
    throw error;
  }
}
