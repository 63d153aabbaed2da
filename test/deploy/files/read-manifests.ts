/** The manifests in `deploy/kubernetes/`. */
import { poolNames, pools } from '#workers/pool-registry.ts';
import { readDocuments } from './read-deploy-file.ts';
import type { Manifest } from './type-check-manifests.ts';

export type Labels = Readonly<Record<string, string>>;

export interface EnvironmentVariable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: {
    readonly secretKeyRef: { readonly name: string; readonly key: string; readonly optional?: true };
  };
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly args: readonly string[];
  readonly env: readonly EnvironmentVariable[];
  readonly envFrom: readonly Readonly<Record<string, { readonly name: string }>>[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly resources: { readonly requests: Labels; readonly limits: Labels };
  readonly securityContext: object;
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
  readonly lifecycle?: { readonly preStop: { readonly sleep: { readonly seconds: number } } };
  readonly [probe: `${string}Probe`]: Probe | undefined;
}

export interface Probe {
  readonly exec: { readonly command: readonly string[] };
  readonly periodSeconds: number;
  readonly timeoutSeconds: number;
  readonly failureThreshold: number;
}

export interface Deployment extends Manifest {
  readonly spec: {
    readonly replicas?: number;
    readonly selector: { readonly matchLabels: Labels };
    readonly template: {
      readonly metadata: { readonly labels: Labels };
      readonly spec: {
        readonly containers: readonly [Container];
        readonly initContainers?: readonly Container[];
        readonly securityContext: {
          readonly runAsUser: number;
          readonly runAsGroup: number;
          readonly fsGroup: number;
        };
        readonly terminationGracePeriodSeconds: number;
        readonly volumes: readonly {
          readonly name: string;
          readonly emptyDir: { readonly sizeLimit: string };
        }[];
      };
    };
  };
}

interface Selecting extends Manifest {
  readonly spec: {
    readonly selector: Labels & { readonly matchLabels?: Labels };
    readonly ports?: readonly { readonly targetPort: string }[];
  };
}

export interface ScaledObject extends Manifest {
  readonly spec: {
    readonly scaleTargetRef: { readonly name: string };
    readonly triggers: readonly { readonly metadata: { readonly query: string } }[];
  };
}

export interface Settings extends Manifest {
  readonly data?: Labels;
  readonly stringData?: Labels;
}

const optionalPools = poolNames.filter((name) => pools[name].isOn !== undefined);
const files = ['config', 'network-policy', 'secret.example', 'api', 'workers', ...optionalPools, 'keda'].map(
  (name) => `kubernetes/${name}.yaml`,
);
// A test checks their shapes with the schemas.
export const manifests = files.flatMap((file) => readDocuments(file)) as readonly Manifest[];

interface Kinds {
  readonly Deployment: Deployment;
  readonly Service: Selecting;
  readonly PodDisruptionBudget: Selecting;
  readonly ScaledObject: ScaledObject;
  readonly ConfigMap: Settings;
  readonly Secret: Settings;
}

export function ofKind<Kind extends keyof Kinds>(kind: Kind): readonly Kinds[Kind][] {
  // A test checks their types with the compiler.
  return manifests.filter((manifest) => manifest.kind === kind) as unknown as readonly Kinds[Kind][];
}

export const deployments = ofKind('Deployment');
export const containers = deployments.flatMap(({ spec }) => [
  ...spec.template.spec.containers,
  ...(spec.template.spec.initContainers ?? []),
]);
