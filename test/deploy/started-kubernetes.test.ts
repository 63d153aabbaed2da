/**
 * Every container of `deploy/kubernetes/` starts as declared, without a cluster: with its arguments, environment, volumes,
 * rights and limit of memory, until its probes succeed, and ends within its grace period. As in a cluster, nothing waits for
 * the migration but the API of the same pod.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { chmod, chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Mount } from '#test/harness/containers.ts';
import { whyNoContainers } from '#test/harness/debian-root.ts';
import { fillPlaceholders } from './files/read-deploy-file.ts';
import { type Container, type Deployment, deployments, ofKind } from './files/read-manifests.ts';
import {
  endInTime,
  expectConfined,
  prepareHub,
  type StartedContainer,
  type StartedHub,
  succeedsWithin,
} from './files/started-hub.ts';

const obstacle = await whyNoContainers();
if (obstacle !== null) console.log(`SKIPPED: ${obstacle}.`);

const [config] = ofKind('ConfigMap');
const [secret] = ofKind('Secret');
/** As an operator fills it in, but for the TLS of a Redis of one's own. */
const secrets = Object.fromEntries(
  Object.entries(secret?.stringData ?? {}).map(([name, value]) => [
    name,
    fillPlaceholders(value).replace(/^rediss:/, 'redis:'),
  ]),
);
function storeOf(setting: string, address: string) {
  const { hostname: name, password } = new URL(secrets[setting] ?? '');
  return { name, address, password };
}
const host = new URL(config?.data?.['BASE_URL'] ?? '').host;

/** Of the network of the pods, which `TRUSTED_PROXIES` names. */
const pods = '10.244.0';
const ingress = `${pods}.4`;
const firstPod = 129;

let hub: StartedHub;
let folder: string;
beforeAll(async () => {
  if (obstacle !== null) return;
  folder = await mkdtemp(join(tmpdir(), 'agent-hub-pods-'));
  hub = await prepareHub({
    postgres: storeOf('DATABASE_URL', `${pods}.2`),
    redis: storeOf('REDIS_URL', `${pods}.3`),
    addresses: [`${ingress}/16`],
    prefix: 16,
    relays: { doors: [{ name: 'api', from: ingress, host: `${pods}.${firstPod}`, port: 3000 }] },
    host,
  });
});
afterAll(async () => {
  await hub?.remove();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

function environmentOf({ env, envFrom }: Container): Record<string, string> {
  expect(envFrom).toEqual([{ configMapRef: { name: config?.metadata.name ?? '' } }]);
  const own = env.flatMap(({ name, value, valueFrom }): [string, string][] => {
    const given = value ?? secrets[valueFrom?.secretKeyRef.key ?? ''];
    if (given !== undefined) return [[name, given]];
    expect([name, valueFrom?.secretKeyRef.optional]).toEqual([name, true]);
    return [];
  });
  return { ...config?.data, ...Object.fromEntries(own) };
}

function bytesOf(quantity: string): number {
  const [, count, unit] = /^(\d+)(Mi|Gi)$/.exec(quantity) ?? [];
  return Number(count) * 1024 ** (unit === 'Gi' ? 3 : 2);
}

type PodSpec = Deployment['spec']['template']['spec'];

/** The empty folders of a pod, which belong to its group. */
async function makeVolumes({ volumes, securityContext }: PodSpec): Promise<ReadonlyMap<string, string>> {
  const made = volumes.map(async ({ name }): Promise<[string, string]> => {
    const volume = await mkdtemp(join(folder, `${name}-`));
    await chown(volume, 0, securityContext.fsGroup);
    await chmod(volume, 0o2777);
    return [name, volume];
  });
  return new Map(await Promise.all(made));
}

/** Resolves with the container of a pod when its init containers have ended, as a kubelet starts it. */
async function startPod(name: string, spec: PodSpec, host: number): Promise<StartedContainer> {
  const volumes = await makeVolumes(spec);
  const run = (container: Container, graceSeconds: number) =>
    hub.run({
      name: `${name}-${host}`,
      args: container.args,
      env: environmentOf(container),
      user: { uid: spec.securityContext.runAsUser, gid: spec.securityContext.runAsGroup },
      mounts: container.volumeMounts.map(({ name: volume, mountPath: target }): Mount => ({
        kind: 'bind',
        source: volumes.get(volume) ?? `no volume ${volume}`,
        target,
      })),
      // Another test checks that every container has these rights.
      readOnly: true,
      addresses: [`${pods}.${host}/16`],
      memoryMaxBytes: bytesOf(container.resources.limits['memory'] ?? ''),
      graceSeconds,
    });
  for (const container of spec.initContainers ?? []) {
    const init = await run(container, 0);
    expect([name, await init.exited, init.output()]).toEqual([name, 0, init.output()]);
    await init.remove();
  }
  const [container] = spec.containers;
  const preStopSeconds = container.lifecycle?.preStop.sleep.seconds ?? 0;
  return run(container, spec.terminationGracePeriodSeconds - preStopSeconds);
}

async function succeed(container: StartedContainer, declared: Container): Promise<void> {
  for (const name of ['startupProbe', 'livenessProbe', 'readinessProbe'] as const) {
    const probe = declared[name];
    if (probe === undefined) throw new Error(`${container.name} has no ${name}.`);
    await succeedsWithin(container, probe.exec.command, {
      timeoutSeconds: probe.timeoutSeconds,
      maxSeconds: probe.periodSeconds * probe.failureThreshold,
    });
  }
}

test.if(obstacle === null)(
  'all pods become ready as declared, serve their ingress, and end in time',
  async () => {
    const replicas = deployments.flatMap(({ metadata, spec }) =>
      Array.from({ length: spec.replicas ?? 1 }, () => ({ name: metadata.name, spec: spec.template.spec })),
    );
    // The first of them is the API that the ingress asks.
    expect(replicas[0]?.name).toBe('agent-hub-api');
    await Promise.all(
      replicas.map(async ({ name, spec }, index) => {
        const [declared] = spec.containers;
        const container = await startPod(name, spec, firstPod + index);
        await succeed(container, declared);
        await expectConfined(container, { uid: spec.securityContext.runAsUser, gid: 0 });
        const maxBytes = bytesOf(declared.resources.limits['memory'] ?? '');
        expect([name, (await container.peakMemory()) < maxBytes]).toEqual([name, true]);
      }),
    );

    const operator = { token: secrets['OPERATOR_KEY'] ?? '' };
    expect(await hub.ask('/readyz', operator)).toEqual({ ready: true });
    expect(await hub.ask('/admin/connection', operator)).toMatchObject({ client_address: '203.0.113.7' });
    await endInTime(hub);
  },
);
