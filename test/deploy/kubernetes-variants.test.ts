/**
 * The variants for replicated and pooled stores on Kubernetes: they match the schemas, follow the same rules as the hub's
 * manifests, refer only to what exists, and can be combined.
 */
import { describe, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { projectFolder } from '#runtime/project-files.ts';
import { buildKustomization, readKustomization } from './files/build-kustomization.ts';
import { containerRights, podRights } from './files/pod-rules.ts';
import { readDeployFile, readDocuments } from './files/read-deploy-file.ts';
import {
  containersOf,
  type DisruptionBudget,
  fileIn,
  type Labels,
  ofKind,
  variantNamed,
  variants,
  type Workload,
  workloadsOf,
} from './files/store-variants.ts';
import { checkSchema, typeCheck } from './files/type-check-manifests.ts';

const base = buildKustomization('kubernetes');
const own = variants.flatMap(({ manifests, secret }) => [...manifests, secret]);
const workloads = workloadsOf(own);
const pinned = /:(\d+\.\d+\.\d+|\d+\.\d+-\w+|\d+\.\d+\.\d+-\w+|\w+-\d{8}(-\w+)?)$/;

test('there is a variant for each one of compose', () => {
  const ofCompose = readdirSync(join(projectFolder, 'deploy')).flatMap(
    (file) => /^compose\.(\w+)\.yml$/.exec(file)?.[1] ?? [],
  );
  expect(variants.map(({ name }) => name)).toEqual(ofCompose.toSorted());
});

test('every manifest matches its schema and type, and has no unknown field', async () => {
  expect(typeCheck(own)).toEqual([]);
  for (const manifest of own)
    expect([manifest.metadata.name, await checkSchema(manifest)]).toEqual([manifest.metadata.name, null]);
});

test('the variants can be combined with each other and with the hub, in any namespace', () => {
  const names = [...base, ...own].map(({ kind, metadata }) => `${kind} ${metadata.name}`);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  expect(JSON.stringify(own)).not.toContain('"namespace"');
});

describe.each(variants)('$name', ({ name, folder, manifests, secret }) => {
  const variant = variantNamed(name);

  test('its kustomization uses every file, and gives the command that applies it', () => {
    const { resources, configMapGenerator = [] } = readKustomization(folder);
    const used = [...resources, ...configMapGenerator.flatMap(({ files = [] }) => files)];
    const others = ['kustomization.yaml', 'secret.example.yaml', 'Dockerfile'];
    const files = readdirSync(join(projectFolder, 'deploy', folder));
    expect(files.filter((file) => !others.includes(file)).toSorted()).toEqual(used.toSorted());
    expect(readDeployFile(join(folder, 'kustomization.yaml'))).toContain(
      `apply --kustomize deploy/${folder}\n`,
    );
  });

  test('its pods run without root, with minimal rights, probes and resource limits', () => {
    for (const workload of workloadsOf(manifests)) {
      const pod = workload.spec.template.spec;
      expect(pod.securityContext).toMatchObject(podRights);
      expect(pod.securityContext.runAsUser).toBeGreaterThan(0);
      expect(pod).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false });
      expect(pod.containers[0]).toMatchObject({ startupProbe: {}, livenessProbe: {}, readinessProbe: {} });
      for (const { securityContext, resources } of containersOf(workload)) {
        expect(securityContext).toEqual(containerRights);
        expect(Object.keys(resources.requests)).toEqual(['cpu', 'memory']);
        expect(Object.keys(resources.limits)).toEqual(['memory']);
      }
    }
  });

  test('its replicas run on different nodes', () => {
    for (const { kind, spec } of workloadsOf(manifests)) {
      expect(spec.replicas).toBeGreaterThan(1);
      expect(spec.template.spec.topologySpreadConstraints).toMatchObject([
        {
          topologyKey: 'kubernetes.io/hostname',
          whenUnsatisfiable: kind === 'StatefulSet' ? 'DoNotSchedule' : 'ScheduleAnyway',
          labelSelector: { matchLabels: spec.template.metadata.labels },
        },
      ]);
    }
  });

  test('its images are pinned, and those of the compose files', () => {
    const ofCompose = ['compose.yml', 'compose.pgbouncer.yml'].map(readDeployFile).join('\n');
    for (const { image } of workloadsOf(manifests).flatMap(containersOf)) {
      expect([image, pinned.test(image)]).toEqual([image, true]);
      if (!image.startsWith('registry.example.org/')) expect(ofCompose).toContain(`image: ${image}\n`);
    }
    expect(['redis:latest', 'redis:8', 'agent-hub-pgbouncer'].filter((image) => pinned.test(image))).toEqual(
      [],
    );
  });

  test('everything that its containers name exists', () => {
    const maps = new Map(ofKind('ConfigMap', manifests).map((map) => [map.metadata.name, map.data]));
    for (const workload of workloadsOf(manifests)) {
      const { volumes } = workload.spec.template.spec;
      const claims = workload.spec.volumeClaimTemplates?.map(({ metadata }) => metadata.name) ?? [];
      for (const { configMap, secret: mounted } of volumes) {
        if (configMap !== undefined) expect([...maps.keys()]).toContain(configMap.name);
        if (mounted !== undefined) expect(mounted.secretName).toBe(secret.metadata.name);
      }
      for (const { env = [], command, volumeMounts } of containersOf(workload)) {
        const mounts = new Map(volumeMounts.map((mount) => [mount.mountPath, mount.name]));
        const there = [...volumes.map((volume) => volume.name), ...claims];
        expect([...mounts.values()].filter((mount) => !there.includes(mount))).toEqual([]);
        for (const { valueFrom } of env) {
          const { secretKeyRef, configMapKeyRef } = valueFrom ?? {};
          if (secretKeyRef !== undefined)
            expect([secretKeyRef.name, Object.keys(secret.stringData)]).toEqual([
              secret.metadata.name,
              [secretKeyRef.key],
            ]);
          if (configMapKeyRef !== undefined)
            expect(Object.keys(maps.get(configMapKeyRef.name) ?? {})).toContain(configMapKeyRef.key);
        }
        const map = volumes.find((volume) => volume.name === mounts.get('/etc/hub'))?.configMap?.name ?? '';
        const file = command.find((word) => word.startsWith('/etc/hub/')) ?? '';
        expect(fileIn(variant, map, basename(file))).not.toBe('');
      }
    }
  });

  test('its passwords come only from the Secret', () => {
    const variables = workloadsOf(manifests)
      .flatMap(containersOf)
      .flatMap(({ env = [] }) => env);
    for (const variable of variables.filter((one) => /AUTH|PASSWORD/.test(one.name)))
      expect(variable).toMatchObject({ valueFrom: { secretKeyRef: {} } });
    expect(JSON.stringify(manifests)).not.toContain('change-me');
    const files = ofKind('ConfigMap', manifests).flatMap(({ data }) => Object.values(data));
    const literal = /(?:requirepass|masterauth|auth-pass hub|password=) *(?!"?\$)\S+/;
    expect(files.filter((text) => literal.test(text))).toEqual([]);
    expect(literal.test('requirepass hunter2')).toBe(true);
  });

  test('its scripts are valid', () => {
    for (const { data } of ofKind('ConfigMap', manifests))
      for (const [file, text] of Object.entries(data).filter(([file]) => file.endsWith('.sh'))) {
        const { exitCode, stderr } = Bun.spawnSync(['sh', '-n'], { stdin: Buffer.from(text) });
        expect([file, exitCode, stderr.toString()]).toEqual([file, 0, '']);
      }
  });
});

/** The workloads whose pods have all of these labels. */
function selectedBy(labels: Labels): readonly Workload[] {
  return [...workloadsOf(base), ...workloads].filter(({ spec }) =>
    Object.entries(labels).every(([name, value]) => spec.template.metadata.labels[name] === value),
  );
}

test('every selector matches the pods of exactly one workload, and every port exists', () => {
  const services = ofKind('Service', own);
  const selectors = [
    ...workloads.map(({ metadata, spec }) => ({ metadata, selector: spec.selector.matchLabels })),
    ...services.map(({ metadata, spec }) => ({ metadata, selector: spec.selector })),
    ...ofKind('PodDisruptionBudget', own).map(({ metadata, spec }) => ({
      metadata,
      selector: spec.selector.matchLabels,
    })),
  ];
  expect(selectors).toHaveLength(3 * workloads.length);
  for (const { metadata, selector } of selectors)
    expect(selectedBy(selector).map((one) => one.metadata.name)).toEqual([metadata.name]);
  for (const { metadata, spec } of services) {
    const ports = selectedBy(spec.selector).flatMap(
      (one) => one.spec.template.spec.containers[0].ports ?? [],
    );
    const named = spec.ports.map(({ port, targetPort }) => ({ name: targetPort, containerPort: port }));
    expect([metadata.name, named]).toEqual([metadata.name, ports]);
  }
});

test('the pods of a StatefulSet have names while they are not ready, and start together', () => {
  const sets = ofKind('StatefulSet', own);
  expect(sets).toHaveLength(4);
  for (const { metadata, spec } of sets) {
    // Otherwise a pod that waits for a later one would keep it from starting.
    expect(spec.podManagementPolicy).toBe('Parallel');
    expect(spec.serviceName).toBe(metadata.name);
    const service = ofKind('Service', own).find((one) => one.metadata.name === spec.serviceName);
    expect(service?.spec).toMatchObject({ clusterIP: 'None', publishNotReadyAddresses: true });
  }
});

/** How many pods a drain may stop at once. */
function stoppable({ spec }: DisruptionBudget, replicas: number): number {
  return spec.maxUnavailable ?? replicas - (spec.minAvailable ?? replicas);
}

test('a drain can stop a pod of each workload, but never so many that the store stops', () => {
  const sentinel = fileIn(variantNamed('sentinel'), 'agent-hub-sentinel', 'start-sentinel.sh');
  const quorum = Number(/sentinel monitor hub \$FIRST_MASTER (\d)/.exec(sentinel)?.[1]);
  const redis = fileIn(variantNamed('sentinel'), 'agent-hub-redis', 'redis.conf');
  const followers = Number(/^min-replicas-to-write (\d)$/m.exec(redis)?.[1]);
  const join = fileIn(variantNamed('cluster'), 'agent-hub-redis-cluster', 'join-cluster.sh');
  const copies = 1 + Number(/--cluster-replicas (\d)/.exec(join)?.[1]);
  /** How many must run. */
  const needed: Readonly<Record<string, (replicas: number) => number>> = {
    'agent-hub-sentinel': (replicas) => Math.max(quorum, Math.floor(replicas / 2) + 1),
    'agent-hub-redis': () => 1 + followers,
    // With fewer, all servers with the same slots might be stopped.
    'agent-hub-redis-cluster': (replicas) => replicas - (copies - 1),
    'agent-hub-postgres': () => 1,
    'agent-hub-pgbouncer': () => 1,
  };
  for (const budget of ofKind('PodDisruptionBudget', own)) {
    const [{ metadata, spec } = { metadata: { name: '' }, spec: { replicas: 0 } }] = selectedBy(
      budget.spec.selector.matchLabels,
    );
    const stopped = stoppable(budget, spec.replicas);
    const left = spec.replicas - stopped;
    expect([
      metadata.name,
      stopped > 0,
      left >= (needed[metadata.name]?.(spec.replicas) ?? Infinity),
    ]).toEqual([metadata.name, true, true]);
  }
});

test('the image of pgbouncer is that of compose, and ends when no transaction is open', () => {
  const dockerfile = readDeployFile('kubernetes/variants/pgbouncer/Dockerfile');
  const [compose] = readDocuments('compose.pgbouncer.yml') as [
    { services: { pgbouncer: { build: { dockerfile_inline: string } } } },
  ];
  const isShared = (line: string): boolean => !/^(#|STOPSIGNAL)/.test(line);
  const inline = compose.services.pgbouncer.build.dockerfile_inline;
  expect(dockerfile.split('\n').filter(isShared).join('\n').replaceAll(/\s+/g, ' ')).toBe(
    inline.replaceAll(/\s+/g, ' '),
  );
  expect(dockerfile).toContain('STOPSIGNAL SIGINT\n');
  const [image] = readKustomization('kubernetes/variants/pgbouncer').images ?? [];
  expect(dockerfile).toContain(`FROM debian:${image?.newTag}-slim\n`);
});
