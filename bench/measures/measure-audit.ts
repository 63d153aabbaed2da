/** `hub audit` of a busy hub, from the start of its process to its exit code. */
import { join } from 'node:path';
import { type BenchEnvironment, openContext } from '../bench-environment.ts';
import { inheritedEnvironment } from '../processes/start-child.ts';
import { seedLedger } from '../seed-ledger.ts';
import { databaseUrlOf } from '../stores/bench-stores.ts';
import { format, type Row } from '../table.ts';

const auditTimeoutMs = 600_000;
const bytesInMb = 1024 * 1024;
const microsecondsInSecond = 1_000_000;

export async function measureAudit(env: BenchEnvironment): Promise<readonly Row[]> {
  const setting = await env.store.createDatabase('audit');
  const ctx = await openContext(env, setting, { publish: () => {}, signal: () => {} });
  const entries = await seedLedger(ctx, env.size.auditEntries);
  const startedAt = performance.now();
  const audit = Bun.spawn([...(env.hub === null ? [process.execPath, 'cli/hub.ts'] : [env.hub]), 'audit'], {
    cwd: join(import.meta.dir, '..', '..'),
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'inherit',
    timeout: auditTimeoutMs,
    env: { ...inheritedEnvironment(), DATA_DIR: env.folder, DATABASE_URL: databaseUrlOf(setting) },
  });
  const exitCode = await audit.exited;
  const seconds = (performance.now() - startedAt) / 1_000;
  if (exitCode !== 0) throw new Error(`The audit exited with ${exitCode}.`);
  const usage = audit.resourceUsage();
  if (usage === undefined) throw new Error('The resource usage of the audit is unknown.');
  return [
    { measure: `audit of ${format(entries)} ledger entries, seconds`, hub: format(seconds, 1) },
    { measure: '  its CPU seconds', hub: format(Number(usage.cpuTime.total) / microsecondsInSecond, 1) },
    { measure: '  its memory at most (RSS), MB', hub: format(usage.maxRSS / bytesInMb) },
  ];
}
