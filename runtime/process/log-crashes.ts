/** Routes uncaught errors and warnings, which Bun would print itself, through the logger. */
import type { Logger } from '../tracing/log.ts';

const crashExitCode = 1;

/** Call it once, as soon as the logger exists. */
export function logCrashes(logger: Logger): void {
  const end = (err: unknown): never => {
    logger.fatal({ err }, 'uncaught error; the process exits');
    process.exit(crashExitCode);
  };
  process.on('uncaughtException', end);
  process.on('unhandledRejection', end);
  // Removes the default listener, which prints warnings.
  process.removeAllListeners('warning');
  process.on('warning', (err) => logger.warn({ err }, 'runtime warning'));
}
