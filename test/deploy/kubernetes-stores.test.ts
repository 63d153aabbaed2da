/** The stores of the Kubernetes variants: their settings are those of compose, and all addresses lead to their pods. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { parseSettings } from '#runtime/settings/settings.ts';
import { fillPlaceholders, readDeployFile, readDocuments } from './files/read-deploy-file.ts';
import {
  type Container,
  fileIn,
  ofKind,
  type Probe,
  type Variant,
  valueIn,
  variantNamed,
  variants,
  type Workload,
  workloadsOf,
} from './files/store-variants.ts';

const [cluster, pgbouncer, sentinel, standby] = ['cluster', 'pgbouncer', 'sentinel', 'standby'].map(
  variantNamed,
) as [Variant, Variant, Variant, Variant];
const manifests = variants.flatMap((variant) => variant.manifests);
const workloads = workloadsOf(manifests);

function workloadNamed(name: string): Workload {
  const workload = workloads.find(({ metadata }) => metadata.name === name);
  if (workload === undefined) throw new Error(`There is no ${name}.`);
  return workload;
}

function portOf({ spec }: Workload): number | undefined {
  return spec.template.spec.containers[0].ports?.[0]?.containerPort;
}

/** The addresses of all pods of a StatefulSet. */
function addressesOf(name: string): readonly string[] {
  const workload = workloadNamed(name);
  return Array.from(
    { length: workload.spec.replicas },
    (_, index) => `${name}-${index}.${workload.spec.serviceName}:${portOf(workload)}`,
  );
}

/** The addresses in a text, written as `host:port`, `host port`, `host=… port=…` or without a port. */
function addressesIn(text: string): readonly string[] {
  const found = text.matchAll(/(agent-hub-[\w-]+-\d+\.[\w-]+)(?:(?::| port=| )(\d+))?/g);
  return Array.from(found, ([, host = '', port]) => (port === undefined ? host : `${host}:${port}`));
}

/** The addresses in a text that lead to no pod. */
function lostIn(text: string): readonly string[] {
  const known = ofKind('StatefulSet', manifests).flatMap(({ metadata }) => addressesOf(metadata.name));
  return addressesIn(text).filter(
    (address) => !known.some((one) => one === address || one.startsWith(`${address}:`)),
  );
}

test('every address of a pod leads to a pod that exists, at its port', () => {
  for (const { manifests, url, folder } of variants) {
    const comments = ['kustomization.yaml', 'secret.example.yaml'].map((file) =>
      readDeployFile(join(folder, file)),
    );
    expect(lostIn([JSON.stringify(manifests), url, ...comments].join('\n'))).toEqual([]);
  }
  expect(lostIn('agent-hub-redis-0.agent-hub-redis:6379 agent-hub-redis-2.agent-hub-redis 6379')).toEqual([]);
  const wrong = [
    'agent-hub-redis-3.agent-hub-redis:6379',
    'agent-hub-redis-0.agent-hub-redis:6380',
    'agent-hub-redis-0.agent-hub-sentinel',
  ];
  expect(wrong.flatMap(lostIn)).toEqual(wrong);
});

test('the hub accepts every address that an example Secret suggests', () => {
  for (const { name, url, secret } of variants) {
    const isRedis = url.startsWith('redis');
    const own = fillPlaceholders(url);
    const settings = parseSettings(isRedis ? { REDIS_URL: own } : { DATABASE_URL: own });
    expect([name, isRedis ? settings.redisUrl : settings.database]).toEqual([
      name,
      isRedis ? own : { kind: 'postgres', url: own },
    ]);
    const [value = ''] = Object.values(secret.stringData);
    expect([name, url.includes(`:${/[\w-]*change[\w-]*/.exec(value)?.[0]}@`)]).toEqual([name, true]);
  }
});

test('the address names all Sentinels, their master and both passwords, and they watch the first pod', () => {
  const sentinels = addressesOf('agent-hub-sentinel');
  const password = sentinel.secret.stringData['password'];
  expect(sentinel.url).toBe(
    `redis+sentinel://:${password}@${sentinels.join(',')}/hub?sentinel_password=${password}`,
  );
  const redis = workloadNamed('agent-hub-redis');
  expect(valueIn(redis, 'SENTINELS').split(' ')).toEqual([...sentinels]);
  const [first] = addressesOf('agent-hub-redis');
  for (const workload of [redis, workloadNamed('agent-hub-sentinel')])
    expect(valueIn(workload, 'FIRST_MASTER').replace(' ', ':')).toBe(first ?? '');
  const settings = fileIn(sentinel, 'agent-hub-sentinel', 'sentinel.conf');
  // Without these, Sentinels would give the hub the address of a pod, which changes.
  for (const option of ['resolve-hostnames', 'announce-hostnames'])
    expect(settings).toContain(`sentinel ${option} yes\n`);
});

test('the servers of the Cluster know each other, and the address names several of them', () => {
  const servers = addressesOf('agent-hub-redis-cluster');
  expect(valueIn(workloadNamed('agent-hub-redis-cluster'), 'SERVERS').split(' ')).toEqual([...servers]);
  expect(servers).toHaveLength(6);
  expect(cluster.url).toBe(`redis+cluster://:change-me@${servers.slice(0, 3).join(',')}`);
  const settings = fileIn(cluster, 'agent-hub-redis-cluster', 'redis.conf');
  expect(settings).toContain('cluster-preferred-endpoint-type hostname\n');
});

test('the address names both Postgres servers, with the database that they create', () => {
  const workload = workloadNamed('agent-hub-postgres');
  const [user, database] = [valueIn(workload, 'POSTGRES_USER'), valueIn(workload, 'POSTGRES_DB')];
  const both = addressesOf('agent-hub-postgres');
  expect(standby.url).toBe(`postgres://${user}:change-me@${both.join(',')}/${database}`);
  const [compose] = readDocuments('compose.yml') as [
    { services: { postgres: { environment: Record<string, string> } } },
  ];
  expect(valueIn(workload, 'POSTGRES_INITDB_ARGS')).toBe(
    compose.services.postgres.environment['POSTGRES_INITDB_ARGS'] ?? '',
  );
  const primary = fileIn(standby, 'agent-hub-postgres-primary', 'PRIMARY');
  expect(both[0]).toStartWith(`${primary}.`);
  const start = fileIn(standby, 'agent-hub-postgres', 'start-postgres.sh');
  const [, waitsFor] = /synchronous_standby_names=(\w+)/.exec(start) ?? [];
  expect(start).toContain(`application_name=${waitsFor}"`);
  // The temporary server of the first start has no standby.
  expect(start).toContain("PGOPTIONS='-c synchronous_commit=local'");
});

test('pgbouncer serves the port, database and user of its address, in transaction mode, from the Secret', () => {
  const ini = fileIn(pgbouncer, 'agent-hub-pgbouncer', 'pgbouncer.ini');
  const url = new URL(pgbouncer.url);
  const [service] = ofKind('Service', pgbouncer.manifests);
  expect(url.hostname).toBe(service?.metadata.name ?? '');
  expect(url.port).toBe(String(portOf(workloadNamed('agent-hub-pgbouncer'))));
  expect(ini).toContain(`listen_port = ${url.port}\n`);
  expect(ini).toContain(`${url.pathname.slice(1)} = host=`);
  expect(url.searchParams.get('pool_mode')).toBe('transaction');
  const { volumeMounts } = workloadNamed('agent-hub-pgbouncer').spec.template.spec.containers[0];
  const [file, users] = Object.entries(pgbouncer.secret.stringData)[0] ?? [];
  const mount = volumeMounts.find(({ name }) => name === 'users')?.mountPath;
  expect(ini).toContain(`auth_file = ${mount}/${file}\n`);
  expect(users).toBe(`"${url.username}" "${url.password}"`);
});

/** The lines of a configuration, without comments and sections. */
function linesOf(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^[#;[]/.test(line));
}

/** The options of a `redis-server` in a compose file, as lines of its configuration. */
function redisOptions(file: string): readonly string[] {
  const [{ services }] = readDocuments(file) as [{ services: { redis: { command: readonly string[] } } }];
  return services.redis.command
    .slice(1)
    .join(' ')
    .split(/ ?--/)
    .filter((option) => option !== '');
}

test('Redis, the Sentinels and pgbouncer have the settings of compose', () => {
  const missing = (wanted: readonly string[], text: string): readonly string[] =>
    wanted.filter((line) => !linesOf(text).includes(line));
  const redis = fileIn(sentinel, 'agent-hub-redis', 'redis.conf');
  const options = redisOptions('compose.sentinel.yml');
  expect(options).toContain('min-replicas-to-write 1');
  expect(missing(options, redis)).toEqual([]);
  expect(missing(['appendonly yes', 'appendonly no'], redis)).toEqual(['appendonly no']);
  const clustered = fileIn(cluster, 'agent-hub-redis-cluster', 'redis.conf');
  expect(missing(redisOptions('compose.cluster.yml'), clustered)).toEqual([]);
  const watched =
    readDeployFile('compose.sentinel.yml').match(/sentinel (?:down|failover)\S+ hub \d+/g) ?? [];
  expect(watched).toHaveLength(2);
  expect(missing(watched, fileIn(sentinel, 'agent-hub-sentinel', 'sentinel.conf'))).toEqual([]);
  const [compose] = readDocuments('compose.pgbouncer.yml') as [
    { configs: { pgbouncer: { content: string } } },
  ];
  const wanted = linesOf(compose.configs.pgbouncer.content).filter((line) => !/^(hub|auth_file) /.test(line));
  expect(missing(wanted, fileIn(pgbouncer, 'agent-hub-pgbouncer', 'pgbouncer.ini'))).toEqual([]);
});

test('Redis refuses writes long before its container reaches its memory limit', () => {
  const units: Readonly<Record<string, number>> = { mb: 1, Mi: 1, Gi: 1024 };
  const mebibytes = (text = ''): number => Number.parseInt(text, 10) * (units[text.slice(-2)] ?? Number.NaN);
  for (const [variant, name] of [
    [sentinel, 'agent-hub-redis'],
    [cluster, 'agent-hub-redis-cluster'],
  ] as const) {
    const [, most] = /^maxmemory (\S+)$/m.exec(fileIn(variant, name, 'redis.conf')) ?? [];
    const { limits } = workloadNamed(name).spec.template.spec.containers[0].resources;
    expect([name, mebibytes(most) <= mebibytes(limits['memory']) / 2]).toEqual([name, true]);
  }
});

const probesOf = (container: Container): readonly Probe[] =>
  [container.startupProbe, container.livenessProbe, container.readinessProbe].filter(
    (probe) => probe !== undefined,
  );

test('every probe asks the port on which its container listens', () => {
  const defaults: readonly (readonly [RegExp, string])[] = [
    [/redis-cli(?! -p)/, '6379'],
    [/pg_isready(?!.*--port)/, '5432'],
  ];
  for (const workload of workloads) {
    const [container] = workload.spec.template.spec.containers;
    const port = String(portOf(workload));
    expect(valueIn(workload, 'PORT') || port).toBe(port);
    for (const { exec, tcpSocket } of probesOf(container)) {
      if (tcpSocket !== undefined) {
        expect(container.ports?.map(({ name }) => name)).toContain(tcpSocket.port);
        continue;
      }
      const command = exec?.command.join(' ') ?? '';
      const asked = [
        ...Array.from(command.matchAll(/(?:-p|--port) (\d+)/g), ([, given = '']) => given),
        ...defaults.flatMap(([pattern, usual]) => (pattern.test(command) ? [usual] : [])),
      ];
      expect([command, [...new Set(asked)]]).toEqual([command, [port]]);
    }
  }
});
