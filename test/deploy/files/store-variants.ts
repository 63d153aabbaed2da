/** The variants in `deploy/kubernetes/variants/`, with the types of what their tests read. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '#runtime/project-files.ts';
import { buildKustomization } from './build-kustomization.ts';
import { readDeployFile, readDocuments } from './read-deploy-file.ts';
import type { Manifest } from './type-check-manifests.ts';

export type Labels = Readonly<Record<string, string>>;

export interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: {
    readonly secretKeyRef?: { readonly name: string; readonly key: string };
    readonly configMapKeyRef?: { readonly name: string; readonly key: string };
    readonly fieldRef?: { readonly fieldPath: string };
  };
}

export interface Probe {
  readonly exec?: { readonly command: readonly string[] };
  readonly tcpSocket?: { readonly port: string };
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly command: readonly string[];
  readonly env?: readonly Variable[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly startupProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly resources: { readonly requests: Labels; readonly limits: Labels };
  readonly securityContext: object;
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
}

interface Volume {
  readonly name: string;
  readonly configMap?: { readonly name: string };
  readonly secret?: { readonly secretName: string };
}

export interface Workload extends Manifest {
  readonly spec: {
    readonly serviceName?: string;
    readonly replicas: number;
    readonly podManagementPolicy?: string;
    readonly selector: { readonly matchLabels: Labels };
    readonly template: {
      readonly metadata: { readonly labels: Labels };
      readonly spec: {
        readonly automountServiceAccountToken: boolean;
        readonly enableServiceLinks: boolean;
        readonly securityContext: { readonly runAsUser: number };
        readonly topologySpreadConstraints: readonly {
          readonly topologyKey: string;
          readonly whenUnsatisfiable: string;
          readonly labelSelector: { readonly matchLabels: Labels };
        }[];
        readonly initContainers?: readonly Container[];
        readonly containers: readonly [Container];
        readonly volumes: readonly Volume[];
      };
    };
    readonly volumeClaimTemplates?: readonly { readonly metadata: { readonly name: string } }[];
  };
}

export interface Service extends Manifest {
  readonly spec: {
    readonly clusterIP?: string;
    readonly publishNotReadyAddresses?: boolean;
    readonly selector: Labels;
    readonly ports: readonly { readonly port: number; readonly targetPort: string }[];
  };
}

export interface DisruptionBudget extends Manifest {
  readonly spec: {
    readonly minAvailable?: number;
    readonly maxUnavailable?: number;
    readonly selector: { readonly matchLabels: Labels };
  };
}

export interface Settings extends Manifest {
  readonly data: Labels;
  readonly stringData: Labels;
}

interface Kinds {
  readonly StatefulSet: Workload;
  readonly Deployment: Workload;
  readonly Service: Service;
  readonly PodDisruptionBudget: DisruptionBudget;
  readonly ConfigMap: Settings;
  readonly Secret: Settings;
}

export interface Variant {
  readonly name: string;
  /** In `deploy/`. */
  readonly folder: string;
  readonly manifests: readonly Manifest[];
  /** The example, which the kustomization does not list. */
  readonly secret: Settings;
  /** The address that the example suggests for the hub. */
  readonly url: string;
}

const parent = 'kubernetes/variants';

export const variants: readonly Variant[] = readdirSync(join(projectFolder, 'deploy', parent))
  .toSorted()
  .map((name) => {
    const folder = join(parent, name);
    const example = join(folder, 'secret.example.yaml');
    const [, url = ''] = /^# (?:REDIS|DATABASE)_URL in .*\n# +(\S+)$/m.exec(readDeployFile(example)) ?? [];
    // Its shape is checked by the schema.
    const [secret] = readDocuments(example) as [Settings];
    return { name, folder, manifests: buildKustomization(folder), secret, url };
  });

export function ofKind<Kind extends keyof Kinds>(
  kind: Kind,
  manifests: readonly Manifest[],
): readonly Kinds[Kind][] {
  // The compiler checks the types of the manifests in `kubernetes-variants.test.ts`.
  return manifests.filter((manifest) => manifest.kind === kind) as unknown as readonly Kinds[Kind][];
}

export function workloadsOf(manifests: readonly Manifest[]): readonly Workload[] {
  return [...ofKind('StatefulSet', manifests), ...ofKind('Deployment', manifests)];
}

export function containersOf({ spec }: Workload): readonly Container[] {
  return [...(spec.template.spec.initContainers ?? []), ...spec.template.spec.containers];
}

export function variantNamed(name: string): Variant {
  const variant = variants.find((one) => one.name === name);
  if (variant === undefined) throw new Error(`There is no variant ${name}.`);
  return variant;
}

/** A file of a ConfigMap of the variant. */
export function fileIn({ manifests }: Variant, map: string, file: string): string {
  const found = ofKind('ConfigMap', manifests).find(({ metadata }) => metadata.name === map)?.data[file];
  if (found === undefined) throw new Error(`${map} has no ${file}.`);
  return found;
}

/** The value of a variable of a workload's container. */
export function valueIn(workload: Workload, name: string): string {
  return workload.spec.template.spec.containers[0].env?.find((one) => one.name === name)?.value ?? '';
}
