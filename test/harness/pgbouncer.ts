/** A pgbouncer in transaction mode in front of a Postgres server, for all of its databases. */
import { mkdirSync, rmSync, writeFileSync, chmodSync } from 'node:fs';
import { join } from 'node:path';
import { requireTool } from '#cli/bootstrap/test-tools.mjs';
import { spawnTethered } from '#runtime/process/tethered-process.ts';
import { freePorts, isListening } from './free-ports.ts';
import { waitWhileRunning } from './wait-until.ts';

export type Pooler = Awaited<ReturnType<typeof startPooler>>;

const stopTimeoutMs = 5_000;
/** Few, so that clients really share them. */
const serverConnections = 5;

export async function startPooler(serverUrl: string, folder: string) {
  const program = requireTool('pgbouncer');
  const { hostname, port, username, password } = new URL(serverUrl);
  const [ownPort = 0] = await freePorts(1);
  mkdirSync(folder, { recursive: true });
  const users = join(folder, 'users.txt');
  const settings = join(folder, 'pgbouncer.ini');
  writeFileSync(users, `"${username}" "${password}"\n`);
  writeFileSync(
    settings,
    [
      '[databases]',
      `* = host=${hostname} port=${port} user=${username} password=${password}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${ownPort}`,
      'unix_socket_dir =',
      'auth_type = plain',
      `auth_file = ${users}`,
      'pool_mode = transaction',
      `default_pool_size = ${serverConnections}`,
      'max_client_conn = 500',
      // Tests create databases all the time.
      'server_idle_timeout = 2',
    ].join('\n'),
  );
  // It refuses to run as root, so another user must be able to read its files.
  const isRoot = process.getuid?.() === 0;
  if (isRoot) for (const place of [users, settings]) chmodSync(place, 0o644);
  if (isRoot) chmodSync(folder, 0o755);
  const server = spawnTethered({
    command: [program, ...(isRoot ? ['-u', 'nobody'] : []), settings],
    stopSignal: 'SIGTERM',
  });
  await waitWhileRunning(server, () => isListening(ownPort));
  return {
    /** The URL of the same database through the pooler. */
    urlOf: (databaseUrl: string) => {
      const url = new URL(databaseUrl);
      url.port = String(ownPort);
      return url.href;
    },
    stop: async () => {
      await server.stop(stopTimeoutMs);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
