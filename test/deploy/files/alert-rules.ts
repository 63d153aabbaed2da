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

export const deployFolder = join(projectFolder, 'deploy');

export function readAlertRules(): readonly AlertRule[] {
  const file = Bun.YAML.parse(readFileSync(join(deployFolder, 'alerts.yml'), 'utf8'));
  // `promtool check rules` checks the form.
  return (file as { groups: { rules: AlertRule[] }[] }).groups.flatMap(({ rules }) => rules);
}
