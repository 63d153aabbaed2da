/** Networks of their own for containers, which only they and the relays of a test can reach. */
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnTethered } from '#runtime/process/tethered-process.ts';
import { type Relay, startRelay } from './relay.ts';
import { waitWhileRunning } from './wait-until.ts';

export interface ContainerNetwork {
  /** Of a process in its namespace. */
  readonly pid: number;
  stop(): Promise<void>;
}

export interface RelayOptions {
  /** From addresses inside to servers of the test, which listen on a port of loopback. */
  readonly servers?: readonly { readonly host: string; readonly port: number; readonly to: number }[];
  /** From a socket in the file system, by name, to an address inside. `from` is the address that connects. */
  readonly doors?: readonly {
    readonly name: string;
    readonly host: string;
    readonly port: number;
    readonly from?: string;
  }[];
}

const script = join(import.meta.dir, 'children', 'start-network.sh');
const relayProgram = join(import.meta.dir, 'children', 'relay-connections.ts');

const stopTimeoutMs = 5_000;

/** Some sessions of root lack the folders of its programs, and a root for a container may lack those of the session. */
export const rootPath = `${process.env['PATH']}:/usr/sbin:/usr/bin:/sbin:/bin`;

/** Creates a bridge with these addresses, each with its prefix, such as 10.0.0.1/24. */
export async function startNetwork(addresses: readonly string[]): Promise<ContainerNetwork> {
  const folder = await mkdtemp(join(tmpdir(), 'agent-hub-network-'));
  const pidFile = join(folder, 'pid');
  const network = spawnTethered({
    command: ['unshare', '--net', 'sh', script, pidFile, addresses.join(' ')],
    stopSignal: 'SIGKILL',
    env: { PATH: rootPath },
    removeAfterwards: folder,
  });
  await waitWhileRunning(network, () => network.output().includes('connected'));
  return { pid: Number(await readFile(pidFile, 'utf8')), stop: () => network.stop(stopTimeoutMs) };
}

/** Relays connections into and out of the network namespace of a process. */
export async function startRelays(pid: number, { servers = [], doors = [] }: RelayOptions) {
  const folder = await mkdtemp(join(tmpdir(), 'agent-hub-relays-'));
  /** The socket of a door, or of a server of the test. */
  const socketOf = (name: string): string => join(folder, `${name}.sock`);
  const outer = await Promise.all(
    servers.map(({ port, to }) =>
      startRelay({ listen: { path: socketOf(`to-${port}`) }, connect: { host: '127.0.0.1', port: to } }),
    ),
  );
  const inner: readonly Relay[] = [
    ...servers.map(({ host, port }) => ({
      listen: { host, port },
      connect: { path: socketOf(`to-${port}`) },
    })),
    ...doors.map(({ name, from, host, port }) => ({
      listen: { path: socketOf(name) },
      connect: { host, port, ...(from === undefined ? {} : { localAddress: from }) },
    })),
  ];
  const relays = spawnTethered({
    command: ['nsenter', `--net=/proc/${pid}/ns/net`, process.execPath, relayProgram, JSON.stringify(inner)],
    stopSignal: 'SIGKILL',
    removeAfterwards: folder,
  });
  await waitWhileRunning(relays, () => relays.output().includes('relaying'));
  return {
    socketOf,
    stop: async () => {
      for (const relay of outer) relay.stop();
      await relays.stop(stopTimeoutMs);
    },
  };
}
