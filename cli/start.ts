/** `npm start`: reads the settings, then runs and watches everything a hub is made of until it is told to stop. */
import { join } from 'node:path';
import { CONFIGURATION_EXIT_CODE } from '#runtime/exit-codes.ts';
import { parseSettings, type Settings } from '#runtime/settings.ts';
import { createShutdown } from '#runtime/shutdown.ts';
import { StartError } from '#runtime/start-error.ts';
import { poolsFor } from '#workers/pools.ts';
import { hubProcess } from './supervisor/hub-process.ts';
import { redisService } from './supervisor/redis-service.ts';
import type { Service } from './supervisor/service.ts';
import { settleDataDir } from './supervisor/settle-data-dir.ts';
import { settlePort } from './supervisor/settle-port.ts';
import { supervise } from './supervisor/supervise.ts';
import { supervisorLog as log } from './supervisor/supervisor-log.ts';
import { welcome } from './supervisor/welcome.ts';

const READY_TIMEOUT_MS = 60_000;
/** A little more than the processes give themselves, so that SIGKILL is for those that hang. */
const API_STOP_TIMEOUT_MS = 20_000;
const WORKER_STOP_TIMEOUT_MS = 30_000;
/** All of the above, one after the other, and Redis. */
const STOP_TIMEOUT_MS = 65_000;

const PROJECT = join(import.meta.dir, '..');

const startedAt = performance.now();
try {
  await runHub(await settleSettings());
} catch (error) {
  if (!(error instanceof StartError)) throw error;
  // Empty when the process that met it has said it all.
  if (error.message !== '') console.error(error.message);
  process.exit(error.exitCode);
}

async function settleSettings(): Promise<Settings> {
  const { host, port } = parseSettings(process.env);
  const settledPort = await settlePort(host, port);
  const settings = parseSettings({ ...process.env, PORT: String(settledPort) });
  if (settings.database.kind !== 'none') {
    if (settings.redisUrl === null || settings.secretKey === null) await settleDataDir(settings.dataDir);
    await checkStores();
  }
  return settings;
}

/** What is wrong it says itself, on our standard error. */
async function checkStores(): Promise<void> {
  const check = Bun.spawn([process.execPath, join(PROJECT, 'cli', 'check-stores.ts')], {
    stdin: 'ignore',
    stdout: 'inherit',
    stderr: 'inherit',
  });
  const exitCode = await check.exited;
  if (exitCode !== 0) throw new StartError('', { isSetting: exitCode === CONFIGURATION_EXIT_CODE });
}

async function runHub(settings: Settings): Promise<void> {
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
  const hub = supervise(
    {
      redis,
      api: () => apiProcess(env),
      workers: () =>
        isDemo
          ? []
          : poolsFor(settings).map((pool, index) => workerProcess(pool, env, metricsPortOf(settings, index))),
    },
    { log },
  );
  shutdown.onShutdown('hub', () => hub.stop(), STOP_TIMEOUT_MS);
  try {
    await hub.ready;
    if (!shutdown.signal.aborted) console.log(welcome(settings, performance.now() - startedAt));
  } catch (error) {
    // Told to stop while starting: the shutdown is under way.
    if (shutdown.signal.aborted) return;
    if (!(error instanceof StartError)) log.error({ cause: String(error) }, 'the hub did not start');
    else if (error.message !== '') console.error(error.message);
    await shutdown.begin('the start failed', error instanceof StartError ? error.exitCode : 1);
  }
}

function apiProcess(env: Readonly<Record<string, string>>): Service {
  return hubProcess({
    name: 'api',
    command: [join(PROJECT, 'api', 'main.ts')],
    env,
    readyTimeoutMs: READY_TIMEOUT_MS,
    stopTimeoutMs: API_STOP_TIMEOUT_MS,
  });
}

/** One port after the other, in the order of the pools. */
function metricsPortOf({ workerMetricsPort }: Settings, index: number): number | null {
  return workerMetricsPort === null ? null : workerMetricsPort + index;
}

function workerProcess(
  pool: string,
  env: Readonly<Record<string, string>>,
  metricsPort: number | null,
): Service {
  const metrics = metricsPort === null ? [] : ['--metrics-port', String(metricsPort)];
  return hubProcess({
    name: `worker ${pool}`,
    command: [join(PROJECT, 'workers', 'main.ts'), '--pool', pool, ...metrics],
    env,
    readyTimeoutMs: READY_TIMEOUT_MS,
    stopTimeoutMs: WORKER_STOP_TIMEOUT_MS,
  });
}
