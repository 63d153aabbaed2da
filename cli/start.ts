/**
 * `npm start`: reads the settings, then runs and supervises all processes of a hub until it is told to stop.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { configurationExitCode, StartError } from '#runtime/process/start-error.ts';
import { loadOperatorKey } from '#runtime/settings/load-operator-key.ts';
import { parseSettings, type Settings } from '#runtime/settings/settings.ts';
import { createShutdown, shrinkSoon } from '#runtime/process/shutdown.ts';
import { workerProcessesFor } from '#workers/pool-registry.ts';
import { requestOperatorLink } from './hub/operator-link.ts';
import { noteRunningHub } from './running-hub.ts';
import { hubProcess } from './supervisor/hub-process.ts';
import { programWords } from './supervisor/program-words.ts';
import { redisService, type Service } from './supervisor/service.ts';
import { settleDataDir, settlePort } from './supervisor/settle-defaults.ts';
import { supervise } from './supervisor/supervise.ts';
import { supervisorLog as log } from './supervisor/supervisor-log.ts';
import { welcome } from './supervisor/welcome.ts';

const startTimeoutMs = 60_000;
/** Slightly more than the processes give themselves, so that SIGKILL only hits those that hang. */
const apiStopTimeoutMs = 20_000;
const workerStopTimeoutMs = 30_000;
/** All of the above in sequence, and Redis. */
const endTimeoutMs = 65_000;
const noteTimeoutMs = 1_000;
/** In DATA_DIR. That the key is there says nothing: starts that failed, and `hub setup`, make it too. */
const linkNoteFile = 'operator-link-made';
const ownerOnly = 0o600;

const startedAt = performance.now();
try {
  const settings = await settleSettings();
  const operatorKey = await loadOperatorKey(settings);
  await runHub(settings, operatorKey);
} catch (error) {
  if (!(error instanceof StartError)) throw error;
  // Empty when the failing process has already printed the reason.
  if (error.message !== '') console.error(error.message);
  process.exit(error.exitCode);
}

async function settleSettings(): Promise<Settings> {
  const { host, port } = parseSettings(process.env);
  const settledPort = await settlePort(host, port);
  const settings = parseSettings({ ...process.env, PORT: String(settledPort) });
  // Called here to report wrong settings before anything changes.
  const further = furtherPorts(settings);
  requireOwnPorts([{ setting: 'PORT', port: settledPort }, ...further]);
  for (const one of further) await settlePort(host, one.port, one.setting);
  if (settings.database.kind !== 'none') {
    if (settings.redisUrl === null || settings.secretKey === null) await settleDataDir(settings.dataDir);
    await checkStores();
  }
  return settings;
}

/** The ports besides the one of the API. Throws SettingsError for wrong counts of processes. */
function furtherPorts(settings: Settings) {
  const processes = workerProcessesFor(settings);
  const workers = settings.database.kind === 'none' ? [] : processes;
  const { apiMetricsPort, workerMetricsPort, smtpInboundPort } = settings;
  return [
    ...portsFrom('API_METRICS_PORT', apiMetricsPort, apiCount(settings)),
    ...portsFrom('WORKER_METRICS_PORT', workerMetricsPort, workers.length),
    ...portsFrom('SMTP_INBOUND_PORT', smtpInboundPort, workers.flat().includes('inbound-mail') ? 1 : 0),
  ];
}

function requireOwnPorts(ports: ReturnType<typeof furtherPorts>): void {
  for (const [place, { setting, port }] of ports.entries()) {
    const other = ports.slice(0, place).find((one) => one.port === port);
    if (other === undefined) continue;
    const way = 'Several processes take consecutive ports from the one that is set. Change one of the two.';
    throw new StartError(`${other.setting} and ${setting} both take port ${port}. ${way}`, {
      isSetting: true,
    });
  }
}

function portsFrom(setting: string, first: number | null, count: number) {
  return first === null
    ? []
    : Array.from({ length: count }, (_, index) => ({ setting, port: first + index }));
}

/** The check prints errors to our standard error, and success is not worth a line. */
async function checkStores(): Promise<void> {
  const check = Bun.spawn([process.execPath, ...programWords('migrate')], {
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'inherit',
    // Without it, Bun passes on the environment of the start, which lacks what `--data` and hub.env have set.
    env: process.env,
  });
  const exitCode = await check.exited;
  if (exitCode !== 0) throw new StartError('', { isSetting: exitCode === configurationExitCode });
}

async function runHub(settings: Settings, operatorKey: string | null): Promise<void> {
  const env: Record<string, string> = { PORT: String(settings.port) };
  const isDemo = settings.database.kind === 'none';
  const redis =
    settings.redisUrl === null && !isDemo
      ? redisService(join(settings.dataDir, 'redis'), (url) => (env['REDIS_URL'] = url))
      : null;
  const shutdown = createShutdown({
    logger: log,
    exit: (code) => {
      hub.kill();
      process.exit(code);
    },
  });
  const apis = (): readonly Service[] => {
    // Until Redis runs, the data folder and the note in it may be those of another hub.
    if (!isDemo) shutdown.onShutdown('note', noteRunningHub(settings), noteTimeoutMs);
    return apiProcesses(settings, env);
  };
  const hub = supervise({ redis, apis, workers: () => workerProcesses(settings, env) }, { log });
  shutdown.onShutdown('hub', () => hub.stop(), endTimeoutMs);
  try {
    await hub.ready;
    shrinkSoon();
    const operatorLink = operatorKey === null ? null : await firstOperatorLink(settings, operatorKey);
    const tookMs = performance.now() - startedAt;
    if (!shutdown.signal.aborted) console.log(welcome(settings, { tookMs, operatorLink }));
  } catch (error) {
    // Told to stop while starting: the shutdown is already running.
    if (shutdown.signal.aborted) return;
    if (error instanceof StartError) {
      if (error.message !== '') console.error(error.message);
      await shutdown.begin(null, error.exitCode);
    }
    log.error({ cause: String(error) }, 'the hub did not start');
    await shutdown.begin('the start failed', 1);
  }
}

/** Demo mode has only one, because its generated data has different ids in each process. */
function apiCount({ database, apiProcesses: count }: Settings): number {
  return database.kind === 'none' ? 1 : count;
}

function apiProcesses(settings: Settings, env: Readonly<Record<string, string>>): readonly Service[] {
  const { apiMetricsPort, processMemoryMaxMb } = settings;
  const count = apiCount(settings);
  return Array.from({ length: count }, (_, index) =>
    hubProcess({
      name: count === 1 ? 'api' : `api ${index + 1}`,
      command: programWords('api'),
      env: apiMetricsPort === null ? env : { ...env, API_METRICS_PORT: String(apiMetricsPort + index) },
      readyTimeoutMs: startTimeoutMs,
      stopTimeoutMs: apiStopTimeoutMs,
      memoryMaxMb: processMemoryMaxMb,
    }),
  );
}

/** Metrics ports are consecutive, in the order of the processes. */
function workerProcesses(settings: Settings, env: Readonly<Record<string, string>>): readonly Service[] {
  const { database, workerMetricsPort, processMemoryMaxMb } = settings;
  if (database.kind === 'none') return [];
  const processes = workerProcessesFor(settings);
  const names = processes.map((pools) => pools.join('+'));
  return processes.map((pools, index) => {
    const name = pools.join('+');
    const isOnly = names.indexOf(name) === names.lastIndexOf(name);
    const metrics = workerMetricsPort === null ? [] : ['--metrics-port', String(workerMetricsPort + index)];
    return hubProcess({
      name: isOnly ? `worker ${name}` : `worker ${name} ${index - names.indexOf(name) + 1}`,
      command: programWords('worker', [...pools.flatMap((pool) => ['--pool', pool]), ...metrics]),
      env,
      readyTimeoutMs: startTimeoutMs,
      stopTimeoutMs: workerStopTimeoutMs,
      memoryMaxMb: processMemoryMaxMb,
    });
  });
}

/**
 * The link that signs the operator in after the first start; `hub operator-link` makes further ones.
 * @returns null if an earlier start has made one, or the operator has set the key
 */
async function firstOperatorLink(settings: Settings, operatorKey: string): Promise<string | null> {
  const note = join(settings.dataDir, linkNoteFile);
  if (settings.operatorKey !== null || existsSync(note)) return null;
  try {
    const link = await requestOperatorLink(settings, operatorKey);
    writeFileSync(note, '', { mode: ownerOnly });
    return link;
  } catch (error) {
    log.warn({ cause: String(error) }, 'no sign-in link for the operator');
    return null;
  }
}
