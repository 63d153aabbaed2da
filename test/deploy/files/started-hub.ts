/** Starts the containers of a deployment of the hub, in a network with its stores. */
import { SQL } from 'bun';
import { expect } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RelayOptions, startNetwork, startRelays } from '#test/harness/container-network.ts';
import {
  type Container,
  type ContainerOptions,
  type ContainerUser,
  startContainer,
} from '#test/harness/containers.ts';
import { freePorts } from '#test/harness/free-ports.ts';
import { startCluster } from '#test/harness/postgres-cluster.ts';
import { startRedisServer } from '#test/harness/redis-server.ts';
import { buildHubImage, type HubImage } from './hub-image.ts';

export interface StartedHub {
  readonly image: HubImage;
  /** Asks the container behind the door `api`, as its proxy would. */
  ask(path: string, request?: { readonly token?: string; readonly json?: object }): Promise<Body>;
  /** Runs a container of the image, by default as its user. */
  run(options: HubContainer): Promise<StartedContainer>;
  /** Those that were not removed. */
  containers(): readonly StartedContainer[];
  remove(): Promise<void>;
}

export type Body = Readonly<Record<string, unknown>>;

type Given = Pick<ContainerOptions, 'env' | 'mounts' | 'readOnly' | 'memoryMaxBytes'>;

export interface HubContainer extends Given {
  readonly name: string;
  readonly user?: ContainerUser;
  /** What follows the entry point of the image. */
  readonly args: readonly string[];
  readonly addresses: readonly string[];
  /** How long it may take to end after its stop signal. */
  readonly graceSeconds: number;
}

export interface StartedContainer extends Container {
  readonly name: string;
  readonly graceSeconds: number;
}

export interface Surroundings {
  readonly postgres: Peer;
  readonly redis: Peer;
  /** The other addresses of the network that are not of containers, each with its prefix. */
  readonly addresses: readonly string[];
  readonly prefix: number;
  readonly relays: RelayOptions;
  /** The host of the hub's address. */
  readonly host: string;
}

interface Peer {
  /** Containers call it by this name. */
  readonly name: string;
  readonly address: string;
  /** Of generated letters. Without one, Redis asks for none. */
  readonly password?: string;
}

const clientAddress = '203.0.113.7';
const pauseMs = 300;

export async function prepareHub(around: Surroundings): Promise<StartedHub> {
  const { postgres, redis } = around;
  const [image, stores, network] = await Promise.all([
    buildHubImage(),
    startStores(postgres.password ?? '', redis.password),
    startNetwork([
      ...[postgres, redis].map(({ address }) => `${address}/${around.prefix}`),
      ...around.addresses,
    ]),
  ]);
  const relays = await startRelays(network.pid, {
    ...around.relays,
    servers: [
      { host: postgres.address, port: 5432, to: stores.postgresPort },
      { host: redis.address, port: 6379, to: stores.redisPort },
      ...(around.relays.servers ?? []),
    ],
  });
  const containers = new Set<StartedContainer>();
  return {
    image,
    containers: () => [...containers],
    ask: async (path, { token, json } = {}) => {
      const response = await fetch(`http://${around.host}${path}`, {
        unix: relays.socketOf('api'),
        ...(json === undefined ? {} : { method: 'POST', body: JSON.stringify(json) }),
        headers: {
          'x-forwarded-for': clientAddress,
          'x-forwarded-proto': 'https',
          'content-type': 'application/json',
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
      });
      const body: unknown = await response.json();
      expect([path, response.status, body]).toEqual([path, 200, body]);
      // The API documents it.
      return body as Body;
    },
    run: async ({ name, args, addresses, graceSeconds, env, ...rest }) => {
      const container = await startContainer({
        root: image.root,
        user: image.user,
        folder: image.folder,
        ...rest,
        command: [...image.entrypoint, ...args],
        env: { ...image.env, HOME: image.folder, HOSTNAME: name, ...env },
        hostName: name,
        hosts: { [postgres.address]: postgres.name, [redis.address]: redis.name },
        network: { of: network, addresses },
      });
      const started = { ...container, name, graceSeconds };
      containers.add(started);
      return {
        ...started,
        remove: async () => {
          containers.delete(started);
          await container.remove();
        },
      };
    },
    remove: async () => {
      await Promise.all([...containers].map((container) => container.remove()));
      await relays.stop();
      await Promise.all([network.stop(), stores.stop(), image.remove()]);
    },
  };
}

/** On ports of loopback, which relays pass on to the network. Postgres has the role and the empty database `hub`, as the guide says to create it. */
async function startStores(ofPostgres: string, ofRedis: string | undefined) {
  const folder = await mkdtemp(join(tmpdir(), 'agent-hub-stores-'));
  const [redisPort = 0] = await freePorts(1);
  const [cluster, server] = await Promise.all([
    startCluster(join(folder, 'cluster')),
    startRedisServer({
      port: redisPort,
      folder,
      lines: [
        'appendonly yes',
        'maxmemory-policy noeviction',
        ...(ofRedis ? [`requirepass ${ofRedis}`] : []),
      ],
      ...(ofRedis ? { password: ofRedis } : {}),
    }),
  ]);
  await using sql = new SQL({ url: cluster.url, max: 1 });
  await sql.unsafe(`CREATE ROLE hub LOGIN PASSWORD '${ofPostgres}'`);
  await sql.unsafe(
    `CREATE DATABASE hub OWNER hub TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'`,
  );
  return {
    postgresPort: Number(new URL(cluster.url).port),
    redisPort,
    stop: async () => {
      await Promise.all([cluster.stop(5_000), server.stop()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Runs a health check or a probe until it succeeds. */
export async function succeedsWithin(
  container: StartedContainer,
  words: readonly string[],
  { timeoutSeconds, maxSeconds }: { readonly timeoutSeconds: number; readonly maxSeconds: number },
): Promise<void> {
  let hasEnded = false;
  void container.exited.then(() => (hasEnded = true));
  const check = () => container.exec(words, { timeoutMs: timeoutSeconds * 1_000 });
  for (const startedAt = performance.now(); (await check()).exitCode !== 0; await Bun.sleep(pauseMs)) {
    if (hasEnded || performance.now() - startedAt > maxSeconds * 1_000)
      throw new Error(`${container.name}: \`${words.join(' ')}\` fails: ${container.output()}`);
  }
}

/** The user, the rights and the file system are those of the deployment, so that what follows means something. */
export async function expectConfined(container: StartedContainer, { uid }: ContainerUser): Promise<void> {
  const script = 'grep -E "^(Uid|Cap(Eff|Bnd)|NoNewPrivs):" /proc/1/status; touch /usr/local/bin/new';
  const { printed, complaints } = await container.exec(['sh', '-c', script], { folder: '/' });
  const none = '0'.repeat(16);
  const ids = Array.from({ length: 4 }, () => uid).join('\t');
  expect(printed).toBe(`Uid:\t${ids}\nCapEff:\t${none}\nCapBnd:\t${none}\nNoNewPrivs:\t1\n`);
  expect(complaints).toContain('Read-only file system');
}

/** All containers that still run end with 0 in their time, and had no rights or files refused. */
export async function endInTime(hub: StartedHub): Promise<void> {
  const containers = hub.containers();
  const ends = containers.map(async (container) => {
    const { name, graceSeconds } = container;
    container.signal(hub.image.stopSignal);
    const tooLate = Bun.sleep(graceSeconds * 1_000).then(() => `not ended after ${graceSeconds} s`);
    const end = await Promise.race([container.exited, tooLate]);
    return [name, end, /.*(?:EROFS|EACCES|EPERM|read-only).*/.exec(container.output())?.[0] ?? null];
  });
  expect(await Promise.all(ends)).toEqual(containers.map(({ name }) => [name, 0, null]));
}
