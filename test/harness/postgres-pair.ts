/** A Postgres primary and its synchronous standby, for tests that fail over. */
import { SQL } from 'bun';
import { appendFile, chmod, chown, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnTethered, type TetheredProcess } from '#runtime/process/tethered-process.ts';
import { freePorts } from './free-ports.ts';
import { comesUp, durableSettings, prepareCluster, settingArguments } from './postgres-cluster.ts';
import { waitUntil } from './wait-until.ts';

export type PostgresPair = Awaited<ReturnType<typeof startPostgresPair>>;

const standbyName = 'standby';
const stopTimeoutMs = 5_000;

/** Resolves when the standby confirms commits. */
export async function startPostgresPair() {
  const folder = await mkdtemp(join(tmpdir(), 'agent-hub-pair-'));
  await chmod(folder, 0o711);
  const primary = await prepareCluster(join(folder, 'primary'), {
    ...durableSettings,
    synchronous_standby_names: standbyName,
  });
  const [port = 0] = await freePorts(1);
  const standby = await prepareStandby(join(folder, 'standby'), primary, port);
  const running: TetheredProcess[] = [];
  const run = async ({ command, url }: Server): Promise<void> => {
    const server = spawnTethered({ command, stopSignal: 'SIGQUIT', ...primary.user });
    running.push(server);
    if (!(await comesUp(server, url))) throw new Error(server.output());
  };
  await run(primary);
  await run(standby);
  const readSync = () => ask(primary.url, 'select sync_state as state from pg_stat_replication');
  await waitUntil(async () => (await readSync()) === 'sync');
  const [one, two] = [new URL(standby.url), new URL(primary.url)];
  return {
    /** Names both, the standby first. */
    url: primary.url.replace(two.host, `${one.host},${two.host}`),
    standbyUrl: standby.url,
    /** Starts the former primary again, which still considers itself the primary. */
    restartFormer: () => run(primary),
    /** Kills the primary and promotes the standby, once. */
    failOver: async () => {
      await running.shift()?.stop(0);
      await ask(standby.url, 'select pg_promote()::text as state');
    },
    stop: async () => {
      await Promise.all(running.map((server) => server.stop(stopTimeoutMs)));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface Server {
  readonly command: readonly string[];
  readonly url: string;
}

/** A copy of the primary, which has not been started yet. */
async function prepareStandby(
  folder: string,
  primary: Awaited<ReturnType<typeof prepareCluster>>,
  port: number,
): Promise<Server> {
  await mkdir(folder);
  const data = join(folder, 'data');
  const [program = '', , original = ''] = primary.command;
  const copy = Bun.spawnSync(['cp', '-a', original, data]);
  if (copy.exitCode !== 0) throw new Error(`cp failed: ${copy.stderr.toString()}`);
  const source = new URL(primary.url);
  const place = `host=${source.hostname} port=${source.port} user=${source.username}`;
  const conninfo = `${place} password=${source.password} application_name=${standbyName}`;
  await appendFile(join(data, 'postgresql.auto.conf'), `primary_conninfo = '${conninfo}'\n`);
  const signal = join(data, 'standby.signal');
  await writeFile(signal, '');
  const { uid, gid } = await stat(data);
  await chown(signal, uid, gid);
  source.port = String(port);
  const settings = settingArguments(durableSettings);
  return { command: [program, '-D', data, '-p', String(port), ...settings], url: source.href };
}

async function ask(url: string, query: string): Promise<string | undefined> {
  await using client = new SQL({ url, max: 1 });
  const [row] = (await client.unsafe(query)) as { state?: string }[];
  return row?.state;
}
