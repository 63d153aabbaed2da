/** The compose file matches its schema, and its commands and settings are ones that the hub accepts. */
import { expect, test } from 'bun:test';
import { parseSettings } from '#runtime/settings/settings.ts';
import { settingNames } from '#runtime/settings/setting-names.ts';
import { scopedSecrets } from '#workers/pool.ts';
import { poolNames, pools } from '#workers/pool-registry.ts';
import { fitsComposeSchema } from './files/compose-schema.ts';
import { faultOfWords, poolIn, portIn } from './files/hub-words.ts';
import { type ComposeService, compose, environmentOf } from './files/read-compose.ts';
import { readDeployFile, readEnvironment } from './files/read-deploy-file.ts';

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
