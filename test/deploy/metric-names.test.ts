/** Dashboards and alerts use only metrics that the hub exports; a renamed metric would silence them. */
import { beforeAll, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hubEndpoints } from '#api/routes.ts';
import { watchProcess } from '#runtime/tracing/process-metrics.ts';
import { testOperatorKey } from '#test/harness/secret-key.ts';
import { useTestHub } from '#test/harness/hub.ts';
import { poolNames, pools } from '#workers/pool-registry.ts';
import { deployFolder, readAlertRules } from './files/alert-rules.ts';

const hub = useTestHub();
let told: Map<string, string>;
beforeAll(async () => {
  // Metrics are declared when the modules that count them are loaded.
  for (const name of poolNames) await pools[name].load();
  watchProcess('0.0.0-test', 'test').stop();
  const { text } = await hub.fetch('/metrics', { token: testOperatorKey });
  told = new Map(
    [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name = '', type = '']) => [name, type]),
  );
});

/** The metric names in PromQL expressions. */
function namesIn(expressions: readonly string[]): string[] {
  return expressions.flatMap((expression) => expression.match(/\b(?:hub|process)_\w+/g) ?? []);
}

function isTold(name: string): boolean {
  const part = /^(\w+)_(?:bucket|sum|count)$/.exec(name)?.[1];
  return told.has(name) || (part !== undefined && told.get(part) === 'histogram');
}

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly targets: readonly { readonly expr: string }[];
}

const dashboard = readFileSync(join(deployFolder, 'grafana-dashboard.json'), 'utf8');
const { panels } = JSON.parse(dashboard) as { readonly panels: readonly Panel[] };

test('the dashboard uses only exported metrics, and each panel has an id of its own', () => {
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  for (const { title, targets } of panels) {
    const names = namesIn(targets.map(({ expr }) => expr));
    expect([title, names.length > 0, names.filter((name) => !isTold(name))]).toEqual([title, true, []]);
  }
});

test('every alert uses only exported metrics, has a severity and says what to do', () => {
  const rules = readAlertRules();
  expect(rules.length).toBeGreaterThan(5);
  for (const { alert, expr, labels, annotations } of rules) {
    const names = namesIn([expr]);
    expect([alert, names.length > 0, names.filter((name) => !isTold(name))]).toEqual([alert, true, []]);
    expect(['page', 'ticket']).toContain(labels.severity);
    expect(annotations).toEqual({
      summary: expect.stringMatching(/^\S/),
      action: expect.stringMatching(/\.$/),
    });
  }
});

test('no route on which a client may ask to wait counts as slow', () => {
  const slow = readAlertRules().find(({ alert }) => alert === 'HubRequestsSlow');
  const leftOut = new RegExp(`^(?:${/route!~"([^"]*)"/.exec(slow?.expr ?? '')?.[1]})$`);
  const waits = hubEndpoints.filter(({ query }) => query !== undefined && 'wait' in query.properties);
  expect(waits.length).toBeGreaterThan(1);
  expect(waits.map(({ path }) => path).filter((path) => !leftOut.test(path))).toEqual([]);
});

test('the scaling of the pools uses only exported metrics', () => {
  const keda = readFileSync(join(deployFolder, 'kubernetes', 'keda.yaml'), 'utf8');
  const names = namesIn(keda.match(/^ *query: .*$/gm) ?? []);
  expect([names.length > 0, names.filter((name) => !isTold(name))]).toEqual([true, []]);
});

test('every exported metric is on the dashboard or in an alert', () => {
  const charts = panels.flatMap(({ targets }) => targets);
  const expressions = [...charts, ...readAlertRules()].map(({ expr }) => expr);
  const asked = new Set(namesIn(expressions).map((name) => name.replace(/_(bucket|sum|count)$/, '')));
  expect([...told.keys()].filter((name) => !asked.has(name))).toEqual([]);
});
