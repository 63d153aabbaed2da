/** The compose file matches its schema, and its commands and settings are ones that the hub accepts. */
import { Ajv } from 'ajv';
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { packageFolder } from '#runtime/project-files.ts';
import { parseSettings } from '#runtime/settings/settings.ts';
import { settingNames } from '#runtime/settings/setting-names.ts';
import { scopedSecrets } from '#workers/pool.ts';
import { poolNames, pools } from '#workers/pool-registry.ts';
import { faultOfWords, poolIn, portIn } from './files/hub-words.ts';
import { type ComposeService, compose, environmentOf, networksOf } from './files/read-compose.ts';
import { readDeployFile, readEnvironment, readDocuments } from './files/read-deploy-file.ts';

/**
 * The schema of the compose specification, as packaged in dclint. Its `$schema` is not the URL that ajv knows
 * for draft 7.
 */
const { $schema: _, ...schema } = (await Bun.file(
  join(packageFolder('dclint'), 'schemas', 'compose.schema.json'),
).json()) as Record<string, unknown>;
const fitsComposeSchema = new Ajv({ strict: false, allErrors: true }).compile(schema);

const services = Object.entries(compose.services);
const ofHub = services.filter(([, { image }]) => image === 'agent-hub');
const example = readEnvironment('env.example');

/** The example, with these secrets filled in. */
const withSecrets = (names: readonly string[], valueOf: (name: string) => string) =>
  new Map([...example, ...names.map((name): [string, string] => [name, valueOf(name)])]);

/** Of an image: an exact version and its base. */
const pinned = /:(\d+\.\d+(\.\d+)?|\w+-\d{8})-\w+/;
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
    const known = [name, faultOfWords(command), first, hub, faultOfWords(asked)];
    expect(known).toEqual([name, null, 'CMD', 'hub', null]);
    if (poolIn(command) !== null) expect([name, portIn(asked)]).toEqual([name, portIn(command)]);
  }
});

test('the hub reads every setting in the compose file and in its example settings', () => {
  const known = settingNames();
  const named = [
    ...example.keys(),
    ...ofHub.flatMap(([, service]) => Object.keys(service.environment ?? {})),
  ];
  expect(named.filter((name) => !known.has(name) && !forComposeAlone.has(name))).toEqual([]);
});

test('the example, filled in, is a valid configuration, and only the hub receives its secrets', () => {
  const secrets = ['SECRET_KEY', 'OPERATOR_KEY', 'POSTGRES_PASSWORD'];
  const filled = withSecrets(secrets, () => 'a1b2c3d4'.repeat(8));
  for (const [, service] of ofHub)
    expect(parseSettings(environmentOf(service, filled))).toMatchObject({
      database: { kind: 'postgres', url: `postgres://hub:${'a1b2c3d4'.repeat(8)}@postgres:5432/hub` },
      redisUrl: 'redis://redis:6379',
      baseUrl: 'https://hub.example.org',
      trustedProxies: ['172.31.251.2/32'],
    });
  for (const [name, { env_file: file }] of services) {
    expect([name, file]).toEqual([name, ofHub.some(([own]) => own === name) ? ['.env'] : undefined]);
  }
  // All are empty in the example, so that nobody runs a hub with published keys.
  expect(secrets.map((name) => example.get(name))).toEqual(['', '', '']);
});

test('each service holds only the secrets that it needs', () => {
  const given = withSecrets(scopedSecrets, (name) => `the ${name}`);
  const ofApi = scopedSecrets.filter((secret) => secret !== 'SMTP_URL');
  const password = new Map([['POSTGRES_PASSWORD', 'p']]);
  for (const [name, service] of ofHub) {
    const environment = environmentOf(service, given);
    const held = scopedSecrets.filter((secret) => environment[secret] === `the ${secret}`);
    const pool = poolNames.find((one) => one === name);
    expect([name, held]).toEqual([name, pool === undefined ? ofApi : [...pools[pool].secrets]]);
    expect([name, environmentOf(service, password)['POSTGRES_PASSWORD']]).toEqual([name, '']);
  }
});

/** The override file that adds Sentinels, as compose merges it with the other one, with `extends` resolved. */
interface Variant {
  readonly services: Readonly<Record<string, Partial<ComposeService> & { extends?: { service: string } }>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

// Its shape is checked by the schema.
const variant = readDocuments('compose.sentinel.yml')[0] as Variant;

function merge(): typeof compose {
  const changed = Object.entries(variant.services).map(([name, own]) => {
    const parent = compose.services[own.extends?.service ?? name];
    if (own.extends !== undefined && parent === undefined) throw new Error(`${name} extends nothing.`);
    const depends_on = { ...parent?.depends_on, ...own.depends_on };
    const environment = { ...parent?.environment, ...own.environment };
    return [name, { ...parent, ...own, depends_on, environment } as ComposeService] as const;
  });
  const volumes = { ...compose.volumes, ...variant.volumes };
  return { ...compose, services: { ...compose.services, ...Object.fromEntries(changed) }, volumes };
}

describe.each([
  ['compose.yml', compose],
  ['compose.sentinel.yml', merge()],
])('%s', (_, { services: all, volumes: declared }) => {
  test('pins every image to an exact version', () => {
    const images = Object.values(all).map(({ image }) => image);
    const others = images.filter((image) => image !== 'agent-hub');
    expect(others.length).toBeGreaterThan(2);
    expect(others.filter((image) => !pinned.test(image))).toEqual([]);
  });

  test('has Redis keep its data', () => {
    const commands = Object.values(all).map(({ command = [] }) => [command].flat().join(' '));
    const ofRedis = commands.filter((command) => command.startsWith('redis-server'));
    expect(ofRedis.length).toBeGreaterThan(0);
    for (const command of ofRedis)
      expect(command).toMatch(/--appendonly yes .*--maxmemory-policy noeviction/);
  });

  test('refers only to what exists, and every service of the hub waits for its stores', () => {
    for (const [name, { image, depends_on: needed = {}, volumes = [] }] of Object.entries(all)) {
      const stores = image === 'agent-hub' ? ['postgres', 'redis'] : [];
      expect([name, Object.keys(needed)]).toEqual([name, expect.arrayContaining(stores)]);
      for (const [other, { condition }] of Object.entries(needed)) {
        const hasCheck = all[other]?.healthcheck !== undefined;
        expect([name, other, condition, hasCheck]).toEqual([name, other, 'service_healthy', true]);
      }
      const named = volumes.map((volume) => volume.split(':')[0] ?? '');
      const unknown = named.filter((volume) => !volume.startsWith('.') && !(volume in declared));
      expect([name, unknown]).toEqual([name, []]);
    }
  });
});

test('the Dockerfile pins its images', () => {
  const from = Array.from(readDeployFile('Dockerfile').matchAll(/^FROM (\S+)/gm), ([, image = '']) => image);
  expect(from).toHaveLength(2);
  expect(from.filter((image) => !pinned.test(image))).toEqual([]);
});

test('the proxy forwards to the service and port of the API, under the configured name', () => {
  const caddyfile = readDeployFile('Caddyfile');
  expect(caddyfile).toContain('dynamic a api 3000');
  expect(caddyfile).toContain('{$HUB_HOST} {');
  expect(compose.services['proxy']?.environment).toHaveProperty('HUB_HOST');
  expect(JSON.stringify(compose.services['proxy']?.networks)).toContain('"ipv4_address":"172.31.251.2"');
});

test('the proxy, which anybody can reach, shares a network with the API only', () => {
  const reached = networksOf(compose.services['proxy']);
  const beside = services.filter(([, one]) => networksOf(one).some((network) => reached.includes(network)));
  expect(beside.map(([name]) => name).toSorted()).toEqual(['api', 'proxy']);
});

describe('the override file with Sentinels', () => {
  const { services: all } = merge();

  test('matches the compose schema and names itself in its command', () => {
    expect([fitsComposeSchema(variant), fitsComposeSchema.errors]).toEqual([true, null]);
    const command = '-f deploy/compose.yml -f deploy/compose.sentinel.yml up';
    expect(readDeployFile('compose.sentinel.yml')).toContain(command);
    expect(fitsComposeSchema({ services: { api: { depends: 'redis' } } })).toBe(false);
  });

  test('changes the Redis of every service of the hub, and of no other', () => {
    const given = Object.entries(variant.services);
    const changed = given.filter(([, own]) => 'REDIS_URL' in (own.environment ?? {}));
    expect(changed.map(([name]) => name).toSorted()).toEqual(ofHub.map(([name]) => name).toSorted());
    for (const [name] of ofHub) {
      const { REDIS_URL = '' } = environmentOf(all[name]!, new Map());
      expect([name, parseSettings({ REDIS_URL }).redisUrl]).toEqual([name, REDIS_URL]);
    }
  });

  test('uses addresses of its own services, each once', () => {
    const addressesIn = (value: unknown): readonly string[] =>
      JSON.stringify(value).match(/172\.31\.250\.\d+/g) ?? [];
    const addresses = addressesIn(Object.values(all).map(({ networks }) => networks));
    expect(new Set(addresses).size).toBe(addresses.length);
    expect(addressesIn(variant.services).filter((address) => !addresses.includes(address))).toEqual([]);
  });
});
