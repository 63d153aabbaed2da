/** The compose file fits its schema, and what it says to the hub is what the hub understands. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { packageFolder } from '#runtime/project-files.ts';
import { parseSettings } from '#runtime/settings/settings.ts';
import { settingNames } from '#test/harness/setting-names.ts';
import { poolNames } from '#workers/pool-registry.ts';
import { faultOfWords, poolIn, portIn } from './files/hub-words.ts';
import { readDeployFile, readDocuments, readEnvironment } from './files/read-deploy-file.ts';

interface Service {
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly env_file?: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly networks: unknown;
  readonly volumes?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { condition: string }>>;
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

// The schema looks into it.
const [compose] = readDocuments('compose.yml') as readonly [Compose];
const services = Object.entries(compose.services);
const ofHub = services.filter(([, { image }]) => image === 'agent-hub');
const example = readEnvironment('env.example');

/** Those that compose itself puts in, and hands to nobody under their own name. */
const forComposeAlone = new Set(['HUB_HOST', 'POSTGRES_PASSWORD']);

/** The schema of the compose specification, as the linter carries it; it names draft 7 by an address that is not that draft's. */
const { $schema: _, ...schema } = (await Bun.file(
  join(packageFolder('dclint'), 'schemas', 'compose.schema.json'),
).json()) as Record<string, unknown>;
const ajv = new Ajv({ strict: false, allErrors: true });
const fitsSchema = ajv.compile(schema);

/** What compose hands to a service: its file of settings, then what the compose file says itself. */
function environmentOf(service: Service, given: ReadonlyMap<string, string>): Record<string, string> {
  const own = Object.entries(service.environment ?? {}).map(([name, value]): [string, string] => [
    name,
    value.replaceAll(/\$\{(\w+):\?\}/g, (_, variable: string) => given.get(variable) ?? ''),
  ]);
  return { ...Object.fromEntries(given), ...Object.fromEntries(own) };
}

test('the compose file fits the schema of compose, and a mistyped one would not', () => {
  expect([fitsSchema(compose), fitsSchema.errors]).toEqual([true, null]);
  const { api } = compose.services;
  for (const wrong of [
    { restarts: 'always' },
    { ports: 3000 },
    { healthcheck: { intervall: '3s' } },
    { read_only: { yes: true } },
  ]) {
    expect([wrong, fitsSchema({ ...compose, services: { api: { ...api, ...wrong } } })]).toEqual([
      wrong,
      false,
    ]);
  }
});

test('there is one service for each pool, and the API; every command is one that the hub knows', () => {
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
  expect(faultOfWords(['worker', '--pool', 'cooks'])).not.toBeNull();
  expect(faultOfWords(['serve'])).not.toBeNull();
  expect(faultOfWords(['health', '--port', 'x'])).not.toBeNull();
});

test('every setting in it and in the example of its settings is one that the hub reads', () => {
  const known = settingNames();
  const unknown = (names: Iterable<string>): string[] =>
    [...names].filter((name) => !known.has(name) && !forComposeAlone.has(name));
  expect(unknown(example.keys())).toEqual([]);
  for (const [name, { environment = {} }] of ofHub)
    expect([name, unknown(Object.keys(environment))]).toEqual([name, []]);
  expect(unknown(['REDIS_URI'])).toEqual(['REDIS_URI']);
});

test('filled in, the example makes settings that the hub takes, and only the hub is told its secrets', () => {
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
      trustedProxies: ['172.31.250.2/32'],
    });
  }
  for (const [name, { env_file: file }] of services) {
    expect([name, file]).toEqual([name, ofHub.some(([own]) => own === name) ? ['.env'] : undefined]);
  }
  // Both stand empty in the example, so that nobody runs a hub with keys that all the world can read here.
  expect(secrets.map((name) => example.get(name))).toEqual(['', '', '']);
});

test('Redis keeps what it is given, and every service waits for what it needs', () => {
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

test('the proxy passes on to the service and port of the API, under the name of the settings', () => {
  const caddyfile = readDeployFile('Caddyfile');
  expect(caddyfile).toContain('dynamic a api 3000');
  expect(caddyfile).toStartWith('#');
  expect(caddyfile).toContain('{$HUB_HOST} {');
  expect(compose.services['proxy']?.environment).toHaveProperty('HUB_HOST');
  expect(JSON.stringify(compose.services['proxy']?.networks)).toContain('"ipv4_address":"172.31.250.2"');
});
