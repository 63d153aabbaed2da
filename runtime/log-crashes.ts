/** Has a fault that nobody caught end the process with a line in the log; Bun would print it with all that it carries. */
import type { Logger } from './log.ts';

const crashExitCode = 1;

/** Call it once, as soon as there is a logger. */
export function logCrashes(logger: Logger): void {
  const end = (err: unknown): never => {
    logger.fatal({ err }, 'a fault that nobody expected ends this process');
    process.exit(crashExitCode);
  };
  process.on('uncaughtException', end);
  process.on('unhandledRejection', end);
}
