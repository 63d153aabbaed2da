/**
 * Has the log tell what Bun would print by itself, in another form and with all that it carries: a fault that nobody
 * caught, which ends the process, and warnings, which do not.
 */
import type { Logger } from '../tracing/log.ts';

const crashExitCode = 1;

/** Call it once, as soon as there is a logger. */
export function logCrashes(logger: Logger): void {
  const end = (err: unknown): never => {
    logger.fatal({ err }, 'a fault that nobody expected ends this process');
    process.exit(crashExitCode);
  };
  process.on('uncaughtException', end);
  process.on('unhandledRejection', end);
  // The one there is until now prints them.
  process.removeAllListeners('warning');
  process.on('warning', (err) => logger.warn({ err }, 'the runtime warns of something'));
}
