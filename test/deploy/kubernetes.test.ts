/**
 * The manifests match the schemas and types of Kubernetes and KEDA, refer to each other correctly, and use
 * commands and settings that the hub accepts.
 */
import { expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { queueNames } from '#domain/jobs/job-kinds.ts';
import { projectFolder } from '#runtime/project-files.ts';
import { parseSettings } from '#runtime/settings/settings.ts';
import { settingNames } from '#runtime/settings/setting-names.ts';
import { scopedSecrets } from '#workers/pool.ts';
import { poolNames, pools } from '#workers/pool-registry.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { faultOfWords, poolIn, portIn } from './files/hub-words.ts';
import { fillPlaceholders, readDocuments, readDeployFile } from './files/read-deploy-file.ts';
import {
  containers,
  type Deployment,
  deployments,
  type Labels,
  manifests,
  ofKind,
  type Settings,
} from './files/read-manifests.ts';
import { checkSchema, typeCheck } from './files/type-check-manifests.ts';

test('every manifest matches its schema and type, and has no unknown field', async () => {
  expect(manifests.length).toBeGreaterThan(15);
  expect(typeCheck(manifests)).toEqual([]);
  for (const manifest of manifests) {
    expect([manifest.metadata.name, await checkSchema(manifest)]).toEqual([manifest.metadata.name, null]);
  }
});

test('no manifest names a namespace, so that the operator chooses it', () => {
  expect(JSON.stringify(manifests)).not.toContain('"namespace"');
});

test('there is one Deployment for the API and one for each pool, and the hub accepts every command and probe', () => {
  const names = deployments.map(({ spec: { template } }) => {
    const { args } = template.spec.containers[0];
    return poolIn(args) ?? args.join(' ');
  });
  expect(names.toSorted()).toEqual([...poolNames, 'api'].toSorted());
  for (const container of containers) {
    expect([container.args, faultOfWords(container.args)]).toEqual([container.args, null]);
    if (container.name === 'migrate') continue;
    const ports = (container.ports ?? []).map(({ containerPort }) => String(containerPort));
    for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'] as const) {
      const [hub, ...asked] = container[probe]?.exec.command ?? [];
      const isOfLife = probe !== 'readinessProbe';
      expect([hub, faultOfWords(asked), asked.includes('--live')]).toEqual(['hub', null, isOfLife]);
      if (poolIn(container.args) === null) continue;
      expect([portIn(asked), ports.includes(portIn(asked) ?? '')]).toEqual([portIn(container.args), true]);
    }
  }
});

test('every process runs without root, with minimal rights and with resource limits', () => {
  for (const { spec } of deployments) {
    const pod = spec.template.spec;
    expect(pod.securityContext).toMatchObject({
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
      runAsUser: 10001,
    });
    // The 30 seconds that a worker may take to stop, and the 5 during which an API still accepts requests.
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(40);
  }
  for (const { securityContext, resources } of containers) {
    expect(securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(Object.keys(resources.requests)).toEqual(['cpu', 'memory']);
    expect(Object.keys(resources.limits)).toEqual(['memory']);
  }
});

test('the hub reads and accepts all settings, and each container holds only the secrets that it needs', () => {
  const known = settingNames();
  const [config] = ofKind('ConfigMap') as readonly [Settings];
  const [secret] = ofKind('Secret') as readonly [Settings];
  const example = { ...config.data, ...secret.stringData };
  // As they stand, the secrets of the example stop the start.
  expect(() => parseSettings(example)).toThrow('placeholder');
  const given: Labels = Object.fromEntries(
    Object.entries(example).map(([name, value]) => [name, fillPlaceholders(value)]),
  );
  const own = containers.flatMap(({ env }) => env);
  // The exporter of traces reads its headers itself.
  const unknown = (names: readonly string[]): string[] =>
    names.filter((name) => !known.has(name) && name !== 'OTEL_EXPORTER_OTLP_HEADERS');
  expect(unknown([...Object.keys(given), ...own.map(({ name }) => name)])).toEqual([]);
  const filled = Object.fromEntries(own.map(({ name, value = given[name] }) => [name, value]));
  expect(parseSettings({ ...given, ...filled })).toMatchObject({
    database: { kind: 'postgres' },
    host: '0.0.0.0',
    port: containers.find(({ name }) => name === 'api')?.ports?.[0]?.containerPort,
  });
  const shared = ['DATABASE_URL', 'REDIS_URL', 'OPERATOR_KEY', 'OTEL_EXPORTER_OTLP_HEADERS'];
  const required = new Set(['DATABASE_URL', 'REDIS_URL', 'SECRET_KEY']);
  const secretsOf = (args: readonly string[]): readonly string[] => {
    if (args[0] === 'migrate') return ['DATABASE_URL', 'REDIS_URL'];
    const pool = poolNames.find((name) => name === poolIn(args));
    const own =
      pool === undefined ? scopedSecrets.filter((name) => name !== 'SMTP_URL') : pools[pool].secrets;
    return [...shared, ...own];
  };
  for (const { args, env, envFrom } of containers) {
    expect(envFrom).toEqual([{ configMapRef: { name: config.metadata.name } }]);
    const held = env.filter(({ valueFrom }) => valueFrom !== undefined);
    expect([args, held.map(({ name }) => name).toSorted()]).toEqual([args, secretsOf(args).toSorted()]);
    for (const { name, valueFrom } of held) {
      const key = { name: secret.metadata.name, key: name };
      expect(valueFrom?.secretKeyRef).toEqual(required.has(name) ? key : { ...key, optional: true });
    }
  }
  // Every setting in the example reaches a container.
  const names = new Set(own.map(({ name }) => name));
  expect(Object.keys(secret.stringData ?? {}).filter((name) => !names.has(name))).toEqual([]);
});

/** The Deployments whose pods have all of these labels. */
function selectedBy(labels: Labels): Deployment[] {
  return deployments.filter(({ spec }) =>
    Object.entries(labels).every(([name, value]) => spec.template.metadata.labels[name] === value),
  );
}

test('every selector matches the pods of exactly one Deployment', () => {
  for (const { metadata, spec } of deployments) {
    expect([metadata.name, selectedBy(spec.selector.matchLabels).length]).toEqual([metadata.name, 1]);
  }
  const selecting = [...ofKind('Service'), ...ofKind('PodDisruptionBudget')];
  expect(selecting.length).toBeGreaterThan(7);
  for (const { metadata, spec } of selecting) {
    const [deployment, ...others] = selectedBy(spec.selector.matchLabels ?? spec.selector);
    expect([metadata.name, deployment === undefined, others.length]).toEqual([metadata.name, false, 0]);
    const ports = deployment?.spec.template.spec.containers[0].ports ?? [];
    for (const { targetPort } of spec.ports ?? [])
      expect(ports.map(({ name }) => name)).toContain(targetPort);
  }
});

test('every pool with a queue scales by the age of the oldest waiting job of that queue', () => {
  const scaled = ofKind('ScaledObject');
  const queues = scaled.map(({ spec }): string => {
    expect(deployments.map(({ metadata }) => metadata.name)).toContain(spec.scaleTargetRef.name);
    const oldest = /^max\(hub_queue_oldest_waiting_seconds\{queue="([^"]+)"\}\)$/;
    return oldest.exec(spec.triggers[0]?.metadata.query ?? '')?.[1] ?? 'none';
  });
  expect(queues.toSorted()).toEqual(queueNames.toSorted());
});

test('the kustomization lists existing files and replaces the image that they name', () => {
  const [kustomization] = readDocuments('kubernetes/kustomization.yaml') as [
    { resources: string[]; images: { name: string; newTag: string }[] },
  ];
  const isThere = (name: string): boolean => existsSync(join(projectFolder, 'deploy', 'kubernetes', name));
  expect(kustomization.resources.length).toBeGreaterThan(2);
  expect(kustomization.resources.filter((name) => !isThere(name))).toEqual([]);
  const [image, ...others] = new Set(containers.map((container) => container.image));
  expect(others).toEqual([]);
  expect(kustomization.images).toMatchObject([{ name: image!, newTag: packageJson.version }]);
});

test('no network wider than a /16 is trusted as a proxy', () => {
  const [config] = readDocuments('kubernetes/config.yaml') as [Settings];
  const { trustedProxies } = parseSettings({ ...config.data, DATA_DIR: '/data' });
  expect(trustedProxies.length).toBeGreaterThan(0);
  for (const cidr of trustedProxies) expect(Number(cidr.split('/')[1])).toBeGreaterThanOrEqual(16);
});

test('only the hub, the ingress controller, the monitoring and the mail relay may connect to its pods', () => {
  const [policy] = readDocuments('kubernetes/network-policy.yaml') as unknown as [
    { spec: { podSelector: object; ingress: { from: object[]; ports?: { port: string }[] }[] } },
  ];
  expect(policy.spec.podSelector).toEqual({ matchLabels: { 'app.kubernetes.io/name': 'agent-hub' } });
  const rules = policy.spec.ingress.map(({ from, ports }) => [from.length, ports?.map(({ port }) => port)]);
  expect(rules).toEqual([
    [1, undefined],
    [1, ['http']],
    [1, ['http', 'metrics']],
    [1, ['smtp']],
  ]);
});

test('every address of replicated and pooled stores that the example Secret suggests is valid', () => {
  const secret = readDeployFile('kubernetes/secret.example.yaml');
  const addresses = secret.matchAll(/^ +# .*: ((?:postgres|redis)\S*:\/\/\S+)$/gm);
  const suggested = Array.from(addresses, ([, url = '']) => fillPlaceholders(url));
  const ofRedis = suggested.filter((url) => url.startsWith('redis'));
  expect([suggested.length, ofRedis.length]).toEqual([4, 2]);
  for (const url of suggested) {
    if (ofRedis.includes(url)) expect(parseSettings({ REDIS_URL: url }).redisUrl).toBe(url);
    else expect(parseSettings({ DATABASE_URL: url }).database).toEqual({ kind: 'postgres', url });
  }
});
