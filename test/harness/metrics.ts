/** Reads the metrics of a process, and waits for values. */

import { testOperatorKey } from './secret-key.ts';
import { waitUntil } from './wait-until.ts';

export type Labels = Readonly<Record<string, string>>;

export interface Sample {
  readonly name: string;
  readonly labels: Labels;
  readonly value: number;
}

/** Parses the Prometheus text format (0.0.4). */
export function parseMetrics(text: string): Sample[] {
  return text.split('\n').flatMap((line) => {
    if (line === '' || line.startsWith('#')) return [];
    const [, name, labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) throw new Error(`No sample: ${line}`);
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, text_]) => [key, text_]);
    return [{ name, labels: Object.fromEntries(pairs) as Labels, value: Number(value) }];
  });
}

/** The sum of the samples with this name and at least these labels. */
export function sumOf(samples: readonly Sample[], name: string, labels: Labels = {}): number {
  return samples
    .filter((sample) => sample.name === name)
    .filter((sample) => Object.entries(labels).every(([key, value]) => sample.labels[key] === value))
    .reduce((sum, { value }) => sum + value, 0);
}

export type MetricsReader = ReturnType<typeof createMetricsReader>;

/** @param url of `/metrics` */
export function createMetricsReader(url: string) {
  const headers = { authorization: `Bearer ${testOperatorKey}` };
  const all = async (): Promise<Sample[]> => parseMetrics(await (await fetch(url, { headers })).text());
  const read = async (name: string, labels?: Labels) => sumOf(await all(), name, labels);
  return {
    all,
    read,
    /** Waits until the value satisfies the condition. */
    until: async (wanted: (value: number) => boolean, name: string, labels?: Labels) => {
      await waitUntil(async () => wanted(await read(name, labels))).catch(async () => {
        throw new Error(`${name} ${JSON.stringify(labels)} stays ${await read(name, labels)}.`);
      });
    },
  };
}
