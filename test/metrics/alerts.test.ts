/** A real Prometheus scrapes a hub: the alert rules select its series, and a failing BACKUP_COMMAND raises an alert. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openQueue } from '#runtime/jobs/open-queue.ts';
import { alertCases, seriesOf } from '#test/deploy/files/alert-cases.ts';
import { readAlertFile, readAlertRules } from '#test/deploy/files/alert-rules.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { useMeteredHub } from '#test/harness/metered-hub.ts';
import { createMetricsReader } from '#test/harness/metrics.ts';
import { type Prometheus, startPrometheus } from '#test/harness/prometheus.ts';
import { onStore } from '#test/harness/stores.ts';
import { useTestFolder } from '#test/harness/test-folder.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { startWorkerProcess, type WorkerProcess } from '#test/harness/worker-process.ts';
import { signInByForm } from '#test/site/tour/sign-in.ts';
import { poolNames } from '#workers/pool-registry.ts';

/** The rules wait minutes. */
const heldFor = '2s';

onStore('sqlite', (store) => {
  let worker: WorkerProcess;
  let prometheus: Prometheus;
  let boss: TestAgent;

  // Before the hub and the folder, which they use.
  afterAll(async () => {
    await prometheus.stop();
    await worker.end('SIGKILL');
  });
  const metered = useMeteredHub(store);
  const folder = useTestFolder();
  const command = join(folder, 'pass-on.sh');

  beforeAll(async () => {
    writeFileSync(command, 'echo no route to the bucket >&2; exit 1');
    const { hub } = metered;
    boss = await createTestAgent(hub.ctx, { handle: 'boss' });
    // `startTestHub` makes it as a set that can change.
    (hub.ctx.rules.maintainerDids as Set<string>).add(boss.did);
    expect(await metered.api.read('hub_backup_age_seconds')).toBe(0);
    const stores = { database: store.setting, redisUrl: hub.redisUrl };
    const backups = { BACKUP_DIR: join(folder, 'backups'), BACKUP_COMMAND: `sh ${command}` };
    worker = await startWorkerProcess(poolNames, stores, { BACKUP_EVERY: '10s', ...backups });
    const { groups } = readAlertFile();
    const hasty = groups.map((group) => ({
      ...group,
      rules: group.rules.map((rule) => (rule.for === undefined ? rule : { ...rule, for: heldFor })),
    }));
    const hosts = [hub.url, worker.operatorUrl].map((url) => new URL(url).host);
    prometheus = await startPrometheus(JSON.stringify({ groups: hasty }), hosts);
  });

  async function readDesk(): Promise<string> {
    const { hub } = metered;
    const cookie = await signInByForm(hub, boss);
    const { text } = await hub.fetch('/desk', { headers: { cookie, accept: 'text/html' } });
    expect(text).toContain('Open reports');
    return text.replaceAll(/<[^>]*>/g, '');
  }

  const backupAlert = async () =>
    (await prometheus.alerts()).find(({ labels }) => labels['alertname'] === 'HubBackupFails');

  test('every rule selects series of the hub, which have the labels that it uses', async () => {
    const { hub, redis } = metered;
    // A failed request and a failed job; all other series are there from the start.
    expect((await hub.fetch('/v1/inbox')).status).toBe(503);
    const queue = openQueue(redis, 'eval-runs', hub.deps.logger);
    await queue.add('eval-run', {}, { jobId: 'broken', attempts: 1, removeOnFail: true });
    const metrics = createMetricsReader(`${worker.operatorUrl}/metrics`);
    const failed = { queue: 'eval-runs', end: 'failed' };
    await metrics.until((value) => value === 1, 'hub_job_duration_seconds_count', failed);

    for (const { alert, expr, annotations } of readAlertRules()) {
      const selectors = expr.match(/\bhub_\w+(\{[^}]*\})?/g) ?? [];
      expect([alert, selectors.length > 0]).toEqual([alert, true]);
      for (const selector of selectors) {
        await waitUntil(async () => (await prometheus.query(selector)).length > 0, 20_000, selector);
      }
      const grouped = /by \(([^)]*)\)[^]*?\b(hub_\w+(?:\{[^}]*\})?)/.exec(expr);
      const by = grouped?.[1]?.split(', ') ?? [];
      for (const series of grouped === null ? [] : await prometheus.query(grouped[2]!)) {
        expect([alert, by.filter((label) => !(label in series))]).toEqual([alert, []]);
      }
      const texts = Object.values(annotations).join(' ');
      const shown = [...texts.matchAll(/\$labels\.(\w+)/g)].map(([, label = '']) => label);
      expect([alert, shown.filter((label) => !by.includes(label))]).toEqual([alert, []]);
    }
  });

  test('the series on which the rules are evaluated have the labels of those of the hub', async () => {
    const labelsOf = new Map<string, string>();
    const told = alertCases.flatMap((one) => Object.keys(seriesOf(one)));
    for (const one of new Set(told)) {
      const [, name = '', labels = ''] = /^(\w+)\{(.*)\}$/.exec(one) ?? [];
      const known = labelsOf.get(name) ?? (await realLabels(name));
      labelsOf.set(name, known);
      const own = [...labels.matchAll(/(\w+)="/g)].map(([, label = '']) => label);
      expect([name, own.toSorted().join()]).toEqual([name, known]);
    }
  });

  async function realLabels(name: string): Promise<string> {
    const [series = {}] = await prometheus.query(name);
    const labels = Object.keys(series).filter((label) => label !== '__name__');
    return labels.toSorted().join();
  }

  test('a failing BACKUP_COMMAND raises an alert and is shown on the desk until it works again', async () => {
    const { api, hub } = metered;
    await waitUntil(async () => (await backupAlert())?.state === 'firing');
    expect(await backupAlert()).toMatchObject({
      labels: { step: 'command', severity: 'ticket' },
      annotations: { summary: 'The last scheduled backup failed at the step command' },
    });
    expect(await api.read('hub_backup_failing', { step: 'command' })).toBe(1);
    expect(await api.read('hub_backup_failing', { step: 'copy' })).toBe(0);
    expect(await api.read('hub_backup_age_seconds')).toBeGreaterThan(0);
    const failure = 'BACKUP_COMMAND ended with 1: no route to the bucket';
    expect(await readDesk()).toContain(`was made, but could not be passed on: ${failure}`);
    const shown = await hub.fetch('/v1/admin/health', { token: boss.bearerToken });
    expect(shown.body).toMatchObject({ frozen: null, backups: { failed_step: 'command', failure } });

    writeFileSync(command, 'exit 0');
    await waitUntil(async () => (await backupAlert()) === undefined);
    expect(await api.read('hub_backup_failing', { step: 'command' })).toBe(0);
    const desk = await readDesk();
    expect(desk).not.toContain('BACKUP_COMMAND');
    expect(desk).toContain('Last good backup');
  });
});
