/** A real Prometheus accepts the configuration, and evaluates every alert rule on a healthy hub and after its fault. */
import { afterAll, expect, test } from 'bun:test';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requireTool } from '#cli/bootstrap/test-tools.mjs';
import { alertCases, minuteAfterFault, seriesOf } from './files/alert-cases.ts';
import { type AlertRule, deployFolder, readAlertRules } from './files/alert-rules.ts';

const folder = mkdtempSync(join(tmpdir(), 'agent-hub-alerts-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
for (const file of ['alerts.yml', 'prometheus.yml'])
  copyFileSync(join(deployFolder, file), join(folder, file));
writeFileSync(join(folder, 'operator-key'), 'k');

function promtool(...words: readonly string[]) {
  const program = requireTool('promtool');
  const { stdout, stderr, exitCode } = Bun.spawnSync([program, ...words], {
    cwd: folder,
    env: { GOMAXPROCS: '1' },
  });
  return { exitCode, said: stdout.toString() + stderr.toString() };
}

test('Prometheus accepts the rules and the configuration', () => {
  expect(promtool('check', 'rules', 'alerts.yml')).toEqual({
    exitCode: 0,
    said: expect.stringContaining(`SUCCESS: ${readAlertRules().length} rules found`),
  });
  expect(promtool('check', 'config', 'prometheus.yml')).toMatchObject({ exitCode: 0 });
});

test('every alert fires for its fault after its time, in a sensible sentence, and for nothing else', () => {
  const rules = readAlertRules();
  const fired = alertCases.flatMap(({ at }) => Object.values(at).flat());
  expect(rules.map(({ alert }) => alert).filter((one) => !fired.some(({ alert }) => alert === one))).toEqual(
    [],
  );
  const tests = alertCases.map((one) => ({
    name: one.name,
    interval: '15s',
    input_series: Object.entries(seriesOf(one)).map(([series, values]) => ({ series, values })),
    alert_rule_test: Object.entries(one.at).flatMap(([minute, expected]) =>
      rules.map((rule) => ({
        eval_time: `${minuteAfterFault(Number(minute))}m`,
        alertname: rule.alert,
        exp_alerts: expected.filter(({ alert }) => alert === rule.alert).map((alert) => shown(rule, alert)),
      })),
    ),
  }));
  // JSON is YAML.
  writeFileSync(
    join(folder, 'cases.yml'),
    JSON.stringify({ rule_files: ['alerts.yml'], evaluation_interval: '1m', tests }),
  );
  expect(promtool('test', 'rules', 'cases.yml')).toEqual({
    exitCode: 0,
    said: expect.stringContaining('SUCCESS'),
  });
});

function shown(rule: AlertRule, { labels, summary }: { labels?: object; summary: string }) {
  return {
    exp_labels: { severity: rule.labels.severity, ...labels },
    exp_annotations: { ...rule.annotations, summary },
  };
}
