/** Runs a real Prometheus with the rules of `deploy/alerts.yml` in tests. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requireTool } from '#cli/bootstrap/test-tools.mjs';
import { spawnTethered } from '#runtime/process/tethered-process.ts';
import { freePorts } from './free-ports.ts';
import { testOperatorKey } from './secret-key.ts';
import { waitWhileRunning } from './wait-until.ts';

export type Prometheus = Awaited<ReturnType<typeof startPrometheus>>;

interface PrometheusAlert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly state: 'pending' | 'firing';
}

/** @param rules a file with rules, as JSON or YAML @param targets addresses without a scheme */
export async function startPrometheus(rules: string, targets: readonly string[]) {
  const program = requireTool('prometheus');
  const folder = mkdtempSync(join(tmpdir(), 'agent-hub-prometheus-'));
  const [port = 0] = await freePorts(1);
  writeFileSync(join(folder, 'rules.yml'), rules);
  writeFileSync(join(folder, 'operator-key'), testOperatorKey);
  const hub = {
    job_name: 'agent-hub',
    authorization: { credentials_file: 'operator-key' },
    static_configs: [{ targets }],
  };
  const global = { scrape_interval: '1s', evaluation_interval: '1s' };
  const config = { global, rule_files: ['rules.yml'], scrape_configs: [hub] };
  // JSON is YAML.
  writeFileSync(join(folder, 'prometheus.yml'), JSON.stringify(config));
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
  const isReady = async () => (await fetch(`${url}/-/ready`).catch(() => null))?.ok === true;
  await waitWhileRunning(server, isReady);
  return {
    /** The labels of the series that an expression selects now. */
    query: async (expression: string) => {
      const asked = new URLSearchParams({ query: expression });
      const body = (await (await fetch(`${url}/api/v1/query?${asked}`)).json()) as {
        readonly data?: { readonly result: readonly { readonly metric: Record<string, string> }[] };
      };
      if (body.data === undefined) throw new Error(`No expression: ${expression} ${JSON.stringify(body)}`);
      return body.data.result.map(({ metric }) => metric);
    },
    /** Pending and firing. */
    alerts: async () => {
      const body = (await (await fetch(`${url}/api/v1/alerts`)).json()) as {
        readonly data: { readonly alerts: readonly PrometheusAlert[] };
      };
      return body.data.alerts;
    },
    stop: () => server.stop(0),
  };
}
