/** `npm start`: reads the settings, then runs and watches everything a hub is made of until it is told to stop. */
import { join } from 'node:path';
import { SettingsError } from '#runtime/settings-error.ts';
import { parseSettings, type Settings } from '#runtime/settings.ts';
import { createShutdown } from '#runtime/shutdown.ts';
import { poolNames } from '#workers/pools.ts';
import { hubProcess } from './supervisor/hub-process.ts';
import { redisService } from './supervisor/redis-service.ts';
import { FatalStartError, type Service } from './supervisor/service.ts';
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
  if (!(error instanceof SettingsError || error instanceof FatalStartError)) throw error;
  console.error(error.message);
  process.exit(1);
}

async function settleSettings(): Promise<Settings> {
  const { host, port } = parseSettings(process.env);
  const settledPort = await settlePort(host, port);
  return parseSettings({ ...process.env, PORT: String(settledPort) });
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
      workers: () => (isDemo ? [] : poolNames.map((pool) => workerProcess(pool, env))),
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
    if (error instanceof FatalStartError) console.error(error.message || 'The hub did not start.');
    else log.error({ cause: String(error) }, 'the hub did not start');
    await shutdown.begin('the start failed', 1);
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

function workerProcess(pool: string, env: Readonly<Record<string, string>>): Service {
  return hubProcess({
    name: `worker ${pool}`,
    command: [join(PROJECT, 'workers', 'main.ts'), '--pool', pool],
    env,
    readyTimeoutMs: READY_TIMEOUT_MS,
    stopTimeoutMs: WORKER_STOP_TIMEOUT_MS,
  });
}
