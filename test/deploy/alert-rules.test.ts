/** A real Prometheus accepts the configuration, and evaluates every alert rule on a healthy hub and after its fault. */
import { expect, test } from 'bun:test';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { requireTool } from '#cli/bootstrap/test-tools.mjs';
import { alertCases, minuteAfterFault, seriesOf } from './files/alert-cases.ts';
import { type AlertRule, deployFolder, readAlertRules } from './files/alert-rules.ts';
import { useTestFolder } from '#test/harness/test-folder.ts';

const folder = useTestFolder();
for (const file of ['alerts.yml', 'prometheus.yml'])
  copyFileSync(join(deployFolder, file), join(folder, file));
writeFileSync(join(folder, 'operator-key'), 'k');

function promtool(...words: readonly string[]) {
  const program = requireTool('promtool');
  const env = { GOMAXPROCS: '1' };
  const { stdout, stderr, exitCode } = Bun.spawnSync([program, ...words], { cwd: folder, env });
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
  const unfired = rules.filter((rule) => !fired.some(({ alert }) => alert === rule.alert));
  expect(unfired).toEqual([]);
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
  const cases = { rule_files: ['alerts.yml'], evaluation_interval: '1m', tests };
  writeFileSync(join(folder, 'cases.yml'), JSON.stringify(cases));
  const success = { exitCode: 0, said: expect.stringContaining('SUCCESS') };
  expect(promtool('test', 'rules', 'cases.yml')).toEqual(success);
});

function shown(rule: AlertRule, { labels, summary }: { labels?: object; summary: string }) {
  return {
    exp_labels: { severity: rule.labels.severity, ...labels },
    exp_annotations: { ...rule.annotations, summary },
  };
}
