/** Runs a real Prometheus with the rules of `deploy/alerts.yml` in tests. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requireTool } from '#cli/bootstrap/test-tools.mjs';
import { spawnTethered } from '#runtime/process/tethered-process.ts';
import { freePorts } from './free-ports.ts';
import { testOperatorKey } from './secret-key.ts';
import { waitUntil } from './wait-until.ts';

export interface Prometheus {
  /** The labels of the series that an expression selects now. */
  query(expression: string): Promise<readonly Readonly<Record<string, string>>[]>;
  /** Pending and firing alerts. */
  alerts(): Promise<readonly PrometheusAlert[]>;
  stop(): Promise<void>;
}

export interface PrometheusAlert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly state: 'pending' | 'firing';
}

/** @param rules a file with rules, as JSON or YAML @param targets addresses without a scheme */
export async function startPrometheus(rules: string, targets: readonly string[]): Promise<Prometheus> {
  const program = requireTool('prometheus');
  const folder = mkdtempSync(join(tmpdir(), 'agent-hub-prometheus-'));
  const [port = 0] = await freePorts(1);
  writeFileSync(join(folder, 'rules.yml'), rules);
  writeFileSync(join(folder, 'operator-key'), testOperatorKey);
  writeFileSync(
    join(folder, 'prometheus.yml'),
    // JSON is YAML.
    JSON.stringify({
      global: { scrape_interval: '1s', evaluation_interval: '1s' },
      rule_files: ['rules.yml'],
      scrape_configs: [
        {
          job_name: 'agent-hub',
          authorization: { credentials_file: 'operator-key' },
          static_configs: [{ targets }],
        },
      ],
    }),
  );
  const words = [
    `config.file=${join(folder, 'prometheus.yml')}`,
    `storage.tsdb.path=${join(folder, 'data')}`,
    `web.listen-address=127.0.0.1:${port}`,
  ];
  const server = spawnTethered({
    command: [program, ...words.map((word) => `--${word}`)],
    stopSignal: 'SIGKILL',
    env: { GOMAXPROCS: '1' },
    removeAfterwards: folder,
  });
  const url = `http://127.0.0.1:${port}`;
  const stop = () => server.stop(0);
  let hasEnded = false;
  void server.exited.then(() => (hasEnded = true));
  const isReady = async (): Promise<boolean> => {
    if (hasEnded) throw new Error(server.output());
    return (await fetch(`${url}/-/ready`).catch(() => null))?.ok === true;
  };
  await waitUntil(isReady).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return {
    query: async (expression) => {
      const asked = new URLSearchParams({ query: expression });
      const body = (await (await fetch(`${url}/api/v1/query?${asked}`)).json()) as {
        readonly data?: { readonly result: readonly { readonly metric: Record<string, string> }[] };
      };
      if (body.data === undefined) throw new Error(`No expression: ${expression} ${JSON.stringify(body)}`);
      return body.data.result.map(({ metric }) => metric);
    },
    alerts: async () => {
      const body = (await (await fetch(`${url}/api/v1/alerts`)).json()) as {
        readonly data: { readonly alerts: readonly PrometheusAlert[] };
      };
      return body.data.alerts;
    },
    stop,
  };
}
