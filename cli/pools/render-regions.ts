/**
 * Renders the pools into files that are otherwise written by hand, between the lines `pools: begin` and
 * `pools: end`.
 */
import type { Pool } from '#workers/pool.ts';
import { workerMetricsPort } from './render-kubernetes.ts';

/** @returns null when the text has no such lines */
export function replaceRegion(text: string, region: string): string | null {
  const [, before, after] =
    /^(.*^[^\n]*\bpools: begin\b[^\n]*\n).*?(^[^\n]*\bpools: end\b.*)$/ms.exec(text) ?? [];
  return before === undefined || after === undefined ? null : before + region + after;
}

/** The services of `compose.yml`. */
export function renderComposeServices(pools: readonly Pool[]): string {
  return pools.map((pool) => `${renderComposeService(pool)}\n`).join('');
}

function renderComposeService({ name, requires, listens, secrets }: Pool): string {
  const own = [
    ...(requires === null ? [] : [`      ${requires.setting}: '${requires.example}'`]),
    ...secrets.map((secret) => `      ${secret}: \${${secret}:-}`),
  ];
  const optional = requires === null ? [] : [`    profiles: [${name}]`];
  const environment = own.length === 0 ? [] : [`    environment:`, `      <<: *environment`, ...own];
  const ports =
    listens === null
      ? []
      : [
          `    # ${listens.caution}`,
          `    ports: ['127.0.0.1:${listens.publicPort}:${listens.containerPort}']`,
        ];
  return [
    `  ${name}:`,
    `    <<: *worker`,
    `    command: [worker, --pool, ${name}, --metrics-port, '${workerMetricsPort}']`,
    ...optional,
    ...environment,
    ...ports,
    '',
  ].join('\n');
}

/** The manifests in `kustomization.yaml` that an operator may add. */
export function renderOptionalResources(pools: readonly Pool[]): string {
  return pools
    .flatMap(({ name, requires }) =>
      requires === null ? [] : `  # - ${name}.yaml # needs ${requires.setting}\n`,
    )
    .join('');
}

/** The workers of `prometheus.yml`: one port for each process that `npm start` runs by default. */
export function renderScrapeTargets(processes: readonly (readonly string[])[]): string {
  return processes
    .map((names, index) => `          - 127.0.0.1:${workerMetricsPort + index} # ${names.join(', ')}\n`)
    .join('');
}

/** The table in `docs/`, as the formatter aligns it. */
export function renderTable(pools: readonly Pool[]): string {
  const rows = [
    ['Pool', 'What it does', 'Jobs at once', 'Runs'],
    ...pools.map(({ name, about, concurrency, requires }) => [
      `\`${name}\``,
      about,
      String(concurrency),
      requires === null ? 'always' : `if \`${requires.setting}\` is set`,
    ]),
  ];
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  const [header = '', ...body] = rows.map((row) =>
    tableLine(row.map((cell, column) => cell.padEnd(widths[column] ?? 0))),
  );
  return `\n${header}${tableLine(widths.map((width) => '-'.repeat(width)))}${body.join('')}\n`;
}

function tableLine(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |\n`;
}
