/**
 * The override file that adds Sentinels: it matches the schema, applies to every service of the hub, and refers to
 * services, volumes and addresses that exist.
 */
import { expect, test } from 'bun:test';
import { parseSettings } from '#runtime/settings/settings.ts';
import { fitsComposeSchema } from './files/compose-schema.ts';
import { readDeployFile, readDocuments } from './files/read-deploy-file.ts';

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
