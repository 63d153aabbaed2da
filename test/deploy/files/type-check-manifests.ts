/**
 * Checks manifests against the types of Kubernetes and KEDA. Schemas ignore unknown fields, and an API server
 * drops them: a mistyped `livenessProbe` would silently be no probe. The TypeScript compiler rejects them.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectFolder } from '#runtime/project-files.ts';

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
}

const kubernetes = (path: string) => ({ from: `kubernetes-models/${path}` });
/** The type of each kind of manifest, by `apiVersion` and `kind`. */
const modules: Readonly<Record<string, { readonly from: string }>> = {
  'v1 ConfigMap': kubernetes('v1/ConfigMap'),
  'v1 Secret': kubernetes('v1/Secret'),
  'v1 Service': kubernetes('v1/Service'),
  'apps/v1 Deployment': kubernetes('apps/v1/Deployment'),
  'apps/v1 StatefulSet': kubernetes('apps/v1/StatefulSet'),
  'networking.k8s.io/v1 NetworkPolicy': kubernetes('networking.k8s.io/v1/NetworkPolicy'),
  'policy/v1 PodDisruptionBudget': kubernetes('policy/v1/PodDisruptionBudget'),
  'keda.sh/v1alpha1 ScaledObject': { from: '@kubernetes-models/keda/keda.sh/v1alpha1/ScaledObject' },
};

function moduleOf({ apiVersion, kind }: Manifest): string {
  const known = modules[`${apiVersion} ${kind}`];
  if (known === undefined) throw new Error(`No type is known for ${apiVersion} ${kind}.`);
  return known.from;
}

/** @returns the errors of the compiler */
export function typeCheck(manifests: readonly Manifest[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'agent-hub-manifests-'));
  try {
    const lines = manifests.map(
      (manifest, index) =>
        `export const manifest${index}: import('${moduleOf(manifest)}').I${manifest.kind} = ${JSON.stringify(manifest)};`,
    );
    writeFileSync(join(folder, 'manifests.ts'), lines.join('\n'));
    const options = { noEmit: true, strict: true, skipLibCheck: true, module: 'preserve', types: [] };
    const paths = { '*': [join(projectFolder, 'node_modules', '*')] };
    const configuration = { compilerOptions: { ...options, paths }, files: ['manifests.ts'] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(configuration));
    const compiler = join(projectFolder, 'node_modules', '.bin', 'tsc');
    const { exitCode, stdout } = Bun.spawnSync([compiler, '--project', folder, '--pretty', 'false']);
    const said = stdout.toString().trim();
    return exitCode === 0 ? [] : said.split('\n');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Checks a manifest against its schema, which has bounds and formats that types lack. @returns the error */
export async function checkSchema(manifest: Manifest): Promise<string | null> {
  const module: Record<string, unknown> = await import(moduleOf(manifest));
  // Each of these modules exports a class named after its kind.
  const Model = module[manifest.kind] as new (data: object) => { validate(): void };
  try {
    new Model(manifest).validate();
    return null;
  } catch (error) {
    return String(error);
  }
}
