/**
 * The override files for compose: they match the schema, apply to every service of the hub, and refer to services,
 * volumes and addresses that exist.
 */
import { expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '#runtime/project-files.ts';
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
  readonly configs?: readonly { readonly source: string }[];
  readonly networks?: unknown;
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes?: Readonly<Record<string, unknown>>;
  readonly configs?: Readonly<Record<string, { readonly content: string }>>;
}

// Their shapes are checked by the schema.
const read = (file: string): Compose => readDocuments(file)[0] as Compose;
const base = read('compose.yml');
const hubServices = Object.keys(base.services).filter((name) => base.services[name]?.image === 'agent-hub');
const variants = readdirSync(join(projectFolder, 'deploy'))
  .filter((file) => /^compose\.\w+\.yml$/.test(file))
  .map((file) => ({ file, variant: read(file) }));

/** The two files as compose merges them, with `extends` resolved. */
function merged(variant: Compose): Readonly<Record<string, Service>> {
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

test('there is a variant for each way to replicate or pool a store', () => {
  expect(variants.map(({ file }) => file).toSorted()).toEqual([
    'compose.cluster.yml',
    'compose.pgbouncer.yml',
    'compose.sentinel.yml',
    'compose.standby.yml',
  ]);
});

test.each(variants)(
  '$file matches the compose schema and names itself in its command',
  ({ file, variant }) => {
    expect([fitsComposeSchema(variant), fitsComposeSchema.errors]).toEqual([true, null]);
    expect(readDeployFile(file)).toContain(`-f deploy/compose.yml -f deploy/${file} up`);
    expect(fitsComposeSchema({ services: { api: { depends: 'redis' } } })).toBe(false);
  },
);

test.each(variants)(
  '$file changes the stores of every service of the hub, and of no other',
  ({ variant }) => {
    const services = merged(variant);
    const changed = Object.keys(variant.services).filter(
      (name) =>
        'DATABASE_URL' in (variant.services[name]?.environment ?? {}) ||
        'REDIS_URL' in (variant.services[name]?.environment ?? {}),
    );
    expect(changed.toSorted()).toEqual(hubServices.toSorted());
    for (const name of hubServices) {
      const { DATABASE_URL = '', REDIS_URL = '' } = services[name]?.environment ?? {};
      const url = DATABASE_URL.replace(/\$\{POSTGRES_PASSWORD:\?\}/, 'secret');
      const settings = parseSettings({ DATABASE_URL: url, REDIS_URL });
      expect(settings).toMatchObject({ database: { kind: 'postgres', url }, redisUrl: REDIS_URL });
    }
  },
);

test.each(variants)('$file refers only to what exists', ({ variant }) => {
  const services = merged(variant);
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
    const sources: readonly string[] = (service.configs ?? []).map(({ source }) => source);
    expect([name, sources.filter((source) => !(source in (variant.configs ?? {})))]).toEqual([name, []]);
  }
});

test.each(variants)('$file uses addresses of its own services, each once', ({ variant }) => {
  const services = merged(variant);
  const given = JSON.stringify(Object.values(services).map(({ networks }) => networks));
  const addresses: readonly string[] = given.match(/172\.31\.250\.\d+/g) ?? [];
  expect(new Set(addresses).size).toBe(addresses.length);
  const used: readonly string[] = JSON.stringify(variant.services).match(/172\.31\.250\.\d+/g) ?? [];
  expect(used.filter((address) => !addresses.includes(address))).toEqual([]);
});

test.each(variants)('$file pins its images, and keeps the settings of Redis', ({ file, variant }) => {
  const pinned = /:(\d+\.\d+(\.\d+)?|\w+-\d{8})-\w+/;
  const images = Object.values(merged(variant)).map(({ image = 'agent-hub' }) => image);
  const built = Array.from(readDeployFile(file).matchAll(/^ *FROM (\S+)/gm), ([, image = '']) => image);
  const others = [...images.filter((image) => !image.startsWith('agent-hub')), ...built];
  expect(others.filter((image) => !pinned.test(image))).toEqual([]);
  for (const [name, { command }] of Object.entries(merged(variant)) as [string, { command?: unknown }][]) {
    const words = Array.isArray(command) ? command.join(' ') : '';
    if (words.startsWith('redis-server'))
      expect([name, words]).toEqual([
        name,
        expect.stringMatching(/--appendonly yes .*--maxmemory-policy noeviction/),
      ]);
  }
});

test('the pooler serves the port and the database that the hub uses, in transaction mode', () => {
  const pooled = read('compose.pgbouncer.yml');
  const ini = pooled.configs?.['pgbouncer']?.content ?? '';
  const url = new URL(pooled.services['api']?.environment?.['DATABASE_URL']?.replace(/\$\{.*?\}/, 'x') ?? '');
  expect(url.searchParams.get('pool_mode')).toBe('transaction');
  expect(ini).toContain('pool_mode = transaction');
  expect(ini).toContain(`listen_port = ${url.port}`);
  expect(ini).toContain(`${url.pathname.slice(1)} = host=postgres`);
});

test('the first start of a primary that waits for its standby does not wait for it', () => {
  const primary = merged(read('compose.standby.yml'))['postgres'];
  expect(JSON.stringify(primary)).toContain('synchronous_standby_names=standby');
  expect(primary?.environment).toMatchObject({ PGOPTIONS: '-c synchronous_commit=local' });
});
