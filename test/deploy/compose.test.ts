/** The compose file matches its schema, and its commands and settings are ones that the hub accepts. */
import { expect, test } from 'bun:test';
import { parseSettings } from '#runtime/settings/settings.ts';
import { settingNames } from '#runtime/settings/setting-names.ts';
import { scopedSecrets } from '#workers/pool.ts';
import { poolNames, pools } from '#workers/pool-registry.ts';
import { fitsComposeSchema } from './files/compose-schema.ts';
import { faultOfWords, poolIn, portIn } from './files/hub-words.ts';
import { type ComposeService, compose, environmentOf } from './files/read-compose.ts';
import { readDeployFile, readEnvironment, readDocuments } from './files/read-deploy-file.ts';

const services = Object.entries(compose.services);
const ofHub = services.filter(([, { image }]) => image === 'agent-hub');
const example = readEnvironment('env.example');

/** Only used inside compose.yml; the hub does not read them. */
const forComposeAlone = new Set(['HUB_HOST', 'POSTGRES_PASSWORD']);

test('the compose file matches the compose schema', () => {
  expect([fitsComposeSchema(compose), fitsComposeSchema.errors]).toEqual([true, null]);
});

test('there is one service for the API and one for each pool, and the hub accepts every command', () => {
  expect(ofHub.map(([, { command = [] }]) => poolIn(command) ?? command.join(' ')).toSorted()).toEqual(
    [...poolNames, 'api'].toSorted(),
  );
  for (const [name, { command = [], healthcheck }] of ofHub) {
    const [first, hub, ...asked] = healthcheck?.test ?? [];
    expect([name, faultOfWords(command), first, hub, faultOfWords(asked)]).toEqual([
      name,
      null,
      'CMD',
      'hub',
      null,
    ]);
    if (poolIn(command) !== null) expect([name, portIn(asked)]).toEqual([name, portIn(command)]);
  }
});

test('the hub reads every setting in the compose file and in its example settings', () => {
  const known = settingNames();
  const unknown = (names: Iterable<string>): string[] =>
    [...names].filter((name) => !known.has(name) && !forComposeAlone.has(name));
  expect(unknown(example.keys())).toEqual([]);
  for (const [name, { environment = {} }] of ofHub)
    expect([name, unknown(Object.keys(environment))]).toEqual([name, []]);
});

test('the example, filled in, is a valid configuration, and only the hub receives its secrets', () => {
  const secrets = ['SECRET_KEY', 'OPERATOR_KEY', 'POSTGRES_PASSWORD'];
  const filled = new Map([
    ...example,
    ...secrets.map((name): [string, string] => [name, 'a1b2c3d4'.repeat(8)]),
  ]);
  for (const [, service] of ofHub) {
    const settings = parseSettings(environmentOf(service, filled));
    expect(settings).toMatchObject({
      database: { kind: 'postgres', url: `postgres://hub:${'a1b2c3d4'.repeat(8)}@postgres:5432/hub` },
      redisUrl: 'redis://redis:6379',
      baseUrl: 'https://hub.example.org',
      trustedProxies: ['172.31.251.2/32'],
    });
  }
  for (const [name, { env_file: file }] of services) {
    expect([name, file]).toEqual([name, ofHub.some(([own]) => own === name) ? ['.env'] : undefined]);
  }
  // All are empty in the example, so that nobody runs a hub with published keys.
  expect(secrets.map((name) => example.get(name))).toEqual(['', '', '']);
});

test('each service holds only the secrets that it needs', () => {
  const given = new Map([
    ...example,
    ...scopedSecrets.map((name): [string, string] => [name, `the ${name}`]),
  ]);
  const heldBy = ([name, service]: readonly [string, ComposeService]) => {
    const environment = environmentOf(service, given);
    return [name, scopedSecrets.filter((secret) => environment[secret] === `the ${secret}`)] as const;
  };
  const expected = poolNames.map((name) => [name, [...pools[name].secrets]] as const);
  const ofApi = scopedSecrets.filter((secret) => secret !== 'SMTP_URL');
  expect(new Map<string, readonly string[]>(ofHub.map(heldBy))).toEqual(
    new Map<string, readonly string[]>([['api', ofApi], ...expected]),
  );
  for (const [name, service] of ofHub)
    expect([
      name,
      environmentOf(service, new Map([['POSTGRES_PASSWORD', 'p']]))['POSTGRES_PASSWORD'],
    ]).toEqual([name, '']);
});

test('every image is pinned to an exact version', () => {
  const dockerfile = readDeployFile('Dockerfile');
  const images = [
    ...services.map(([, { image }]) => image).filter((image) => image !== 'agent-hub'),
    ...Array.from(dockerfile.matchAll(/^FROM (\S+)/gm), ([, image = '']) => image),
  ];
  expect(images).toHaveLength(5);
  expect(images.filter((image) => !/:(\d+\.\d+(\.\d+)?|\w+-\d{8})-\w+/.test(image))).toEqual([]);
});

test('Redis persists its data, and every service waits for its dependencies', () => {
  const redis = compose.services['redis']?.command?.join(' ');
  expect(redis).toContain('--appendonly yes');
  expect(redis).toContain('--maxmemory-policy noeviction');
  for (const [name, { depends_on: needed = {} }] of ofHub) {
    expect([name, Object.keys(needed)]).toEqual([name, expect.arrayContaining(['postgres', 'redis'])]);
    for (const [other, { condition }] of Object.entries(needed)) {
      expect([other, condition, compose.services[other]?.healthcheck !== undefined]).toEqual([
        other,
        'service_healthy',
        true,
      ]);
    }
  }
  const named = services.flatMap(([, { volumes = [] }]) =>
    volumes.map((volume) => volume.split(':')[0] ?? ''),
  );
  expect(named.filter((volume) => !volume.startsWith('.') && !(volume in compose.volumes))).toEqual([]);
});

test('the proxy forwards to the service and port of the API, under the configured name', () => {
  const caddyfile = readDeployFile('Caddyfile');
  expect(caddyfile).toContain('dynamic a api 3000');
  expect(caddyfile).toStartWith('#');
  expect(caddyfile).toContain('{$HUB_HOST} {');
  expect(compose.services['proxy']?.environment).toHaveProperty('HUB_HOST');
  expect(JSON.stringify(compose.services['proxy']?.networks)).toContain('"ipv4_address":"172.31.251.2"');
});

test('the proxy, which anybody can reach, shares a network with the API only', () => {
  const networksOf = (name: string): readonly string[] => {
    const networks = compose.services[name]?.networks;
    return Array.isArray(networks) ? networks : Object.keys(networks ?? {});
  };
  const reached = networksOf('proxy');
  const others = Object.keys(compose.services).filter(
    (name) => name !== 'proxy' && networksOf(name).some((network) => reached.includes(network)),
  );
  expect(others).toEqual(['api']);
});

/**
 * The override file that adds Sentinels: it matches the schema, applies to every service of the hub, and refers to
 * services, volumes and addresses that exist.
 */
interface Service {
  readonly image?: string;
  readonly extends?: { readonly file: string; readonly service: string };
  readonly environment?: Readonly<Record<string, string>>;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: object;
  readonly volumes?: readonly string[];
  readonly networks?: unknown;
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes?: Readonly<Record<string, unknown>>;
}

// Their shapes are checked by the schema.
const read = (file: string): Compose => readDocuments(file)[0] as Compose;

const base = read('compose.yml');
const hubServices = Object.keys(base.services).filter((name) => base.services[name]?.image === 'agent-hub');
const file = 'compose.sentinel.yml';
const variant = read(file);

/** The two files as compose merges them, with `extends` resolved. */
function merged(): Readonly<Record<string, Service>> {
  const names = new Set([...Object.keys(base.services), ...Object.keys(variant.services)]);
  return Object.fromEntries(
    [...names].map((name) => {
      const own = variant.services[name];
      const parent = own?.extends === undefined ? base.services[name] : base.services[own.extends.service];
      const depends = { ...parent?.depends_on, ...own?.depends_on };
      const environment = { ...parent?.environment, ...own?.environment };
      return [name, { ...parent, ...own, depends_on: depends, environment }];
    }),
  );
}

test('it matches the compose schema and names itself in its command', () => {
  expect([fitsComposeSchema(variant), fitsComposeSchema.errors]).toEqual([true, null]);
  expect(readDeployFile(file)).toContain(`-f deploy/compose.yml -f deploy/${file} up`);
  expect(fitsComposeSchema({ services: { api: { depends: 'redis' } } })).toBe(false);
});

test('it changes the Redis of every service of the hub, and of no other', () => {
  const services = merged();
  const changed = Object.keys(variant.services).filter(
    (name) => 'REDIS_URL' in (variant.services[name]?.environment ?? {}),
  );
  expect(changed.toSorted()).toEqual(hubServices.toSorted());
  for (const name of hubServices) {
    const { DATABASE_URL = '', REDIS_URL = '' } = services[name]?.environment ?? {};
    const url = DATABASE_URL.replace(/\$\{POSTGRES_PASSWORD:\?\}/, 'secret');
    const settings = parseSettings({ DATABASE_URL: url, REDIS_URL });
    expect(settings).toMatchObject({ database: { kind: 'postgres', url }, redisUrl: REDIS_URL });
  }
});

test('it refers only to what exists', () => {
  const services = merged();
  const volumes = { ...base.volumes, ...variant.volumes };
  for (const [name, service] of Object.entries(services)) {
    const parent = variant.services[name]?.extends;
    if (parent !== undefined)
      expect([name, parent.file, parent.service in base.services]).toEqual([name, 'compose.yml', true]);
    for (const [other, { condition }] of Object.entries(service.depends_on ?? {})) {
      expect([name, other, other in services]).toEqual([name, other, true]);
      if (condition === 'service_healthy')
        expect([other, services[other]?.healthcheck !== undefined]).toEqual([other, true]);
    }
    const named = (service.volumes ?? []).map((volume) => volume.split(':')[0] ?? '');
    expect([name, named.filter((volume) => !volume.startsWith('.') && !(volume in volumes))]).toEqual([
      name,
      [],
    ]);
  }
});

test('it uses addresses of its own services, each once', () => {
  const services = merged();
  const given = JSON.stringify(Object.values(services).map(({ networks }) => networks));
  const addresses: readonly string[] = given.match(/172\.31\.250\.\d+/g) ?? [];
  expect(new Set(addresses).size).toBe(addresses.length);
  const used: readonly string[] = JSON.stringify(variant.services).match(/172\.31\.250\.\d+/g) ?? [];
  expect(used.filter((address) => !addresses.includes(address))).toEqual([]);
});

test('it pins its images, and keeps the settings of Redis', () => {
  const pinned = /:(\d+\.\d+(\.\d+)?|\w+-\d{8})-\w+/;
  const images = Object.values(merged()).map(({ image = 'agent-hub' }) => image);
  const others = images.filter((image) => !image.startsWith('agent-hub'));
  expect(others.filter((image) => !pinned.test(image))).toEqual([]);
  for (const [name, { command }] of Object.entries(merged()) as [string, { command?: unknown }][]) {
    const words = Array.isArray(command) ? command.join(' ') : '';
    if (words.startsWith('redis-server'))
      expect([name, words]).toEqual([
        name,
        expect.stringMatching(/--appendonly yes .*--maxmemory-policy noeviction/),
      ]);
  }
});
