/** Reads `deploy/alerts.yml`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '#runtime/project-files.ts';

export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: { readonly severity: string };
  readonly annotations: Readonly<Record<string, string>> & { readonly summary: string };
}

interface AlertFile {
  readonly groups: readonly { readonly name: string; readonly rules: readonly AlertRule[] }[];
}

export const deployFolder = join(projectFolder, 'deploy');

export function readAlertFile(): AlertFile {
  // `promtool check rules` checks the form.
  return Bun.YAML.parse(readFileSync(join(deployFolder, 'alerts.yml'), 'utf8')) as AlertFile;
}

export function readAlertRules(): readonly AlertRule[] {
  return readAlertFile().groups.flatMap(({ rules }) => rules);
}
