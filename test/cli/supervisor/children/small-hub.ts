/**
 * A supervisor with placeholders and a real private Redis. Usage: small-hub.ts <journal> <folder for Redis>
 * <ms>
 */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { hubProcess } from '#cli/supervisor/hub-process.ts';
import { redisService } from '#cli/supervisor/service.ts';
import { supervise } from '#cli/supervisor/supervise.ts';
import { supervisorLog } from '#cli/supervisor/supervisor-log.ts';
import { createShutdown } from '#runtime/process/shutdown.ts';

const [journal = '', dir = '', apiWorkMs = ''] = process.argv.slice(2);
const placeholder = (name: string, workMs: string) =>
  hubProcess({
    name,
    command: [join(import.meta.dir, 'placeholder.ts'), name, journal, 'serve', workMs],
    env: {},
    readyTimeoutMs: 20_000,
    stopTimeoutMs: 10_000,
  });

const hub = supervise(
  {
    redis: redisService(dir, (url) => appendFileSync(journal, `redis ${url}\n`)),
    apis: () => [placeholder('api', apiWorkMs)],
    workers: () => [placeholder('mail', '300'), placeholder('sweeper', '0')],
  },
  { log: supervisorLog },
);
const shutdown = createShutdown({
  logger: supervisorLog,
  exit: (code) => {
    hub.kill();
    process.exit(code);
  },
});
shutdown.onShutdown('hub', () => hub.stop(), 20_000);
await hub.ready;
appendFileSync(journal, 'hub ready\n');
