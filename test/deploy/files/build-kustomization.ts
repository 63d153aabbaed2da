/** Builds a kustomization as `kubectl kustomize` does, as far as those in `deploy/` need it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '#runtime/project-files.ts';
import { readDeployFile, readDocuments } from './read-deploy-file.ts';
import type { Manifest } from './type-check-manifests.ts';

interface GeneratedConfigMap {
  readonly name: string;
  readonly files?: readonly string[];
  readonly literals?: readonly string[];
  readonly options: { readonly labels: Readonly<Record<string, string>> };
}

export interface Kustomization {
  readonly resources: readonly string[];
  readonly configMapGenerator?: readonly GeneratedConfigMap[];
  readonly images?: readonly { readonly name: string; readonly newName: string; readonly newTag: string }[];
}

const knownFields = ['apiVersion', 'kind', 'resources', 'configMapGenerator', 'images'];

/** @throws if it has a field that this does not build */
export function readKustomization(folder: string): Kustomization {
  // A folder without its own file is an error of the test's caller, which reading reports.
  const [kustomization] = readDocuments(join(folder, 'kustomization.yaml')) as [Kustomization];
  const unknown = Object.keys(kustomization).filter((field) => !knownFields.includes(field));
  if (unknown.length > 0) throw new Error(`${folder}: nothing builds ${unknown.join(', ')}.`);
  return kustomization;
}

/**
 * @param folder in `deploy/`
 * @returns its manifests. The names of ConfigMaps have no hash, which `kubectl` appends there and where they are used.
 * @throws if a file is missing
 */
export function buildKustomization(folder: string): readonly Manifest[] {
  const { resources, configMapGenerator = [], images = [] } = readKustomization(folder);
  const listed = resources.flatMap((name) => {
    const path = join(folder, name);
    if (existsSync(join(projectFolder, 'deploy', path, 'kustomization.yaml')))
      return buildKustomization(path);
    // Their shapes are checked by the schemas.
    return readDocuments(path) as readonly Manifest[];
  });
  const generated = configMapGenerator.map((map) => generate(folder, map));
  // Replaces strings only, so the shapes stay.
  return JSON.parse(JSON.stringify([...listed, ...generated]), (key, value: unknown) => {
    const image = key === 'image' ? images.find(({ name }) => name === value) : undefined;
    return image === undefined ? value : `${image.newName}:${image.newTag}`;
  }) as readonly Manifest[];
}

function generate(
  folder: string,
  { name, files = [], literals = [], options }: GeneratedConfigMap,
): Manifest & { readonly data: Readonly<Record<string, string>> } {
  const data = [
    ...files.map((file) => [file, readDeployFile(join(folder, file))] as const),
    ...literals.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)] as const),
  ];
  const metadata = { name, labels: options.labels };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: Object.fromEntries(data) };
}
