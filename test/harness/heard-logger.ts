/** A logger whose lines a test reads, as the objects that they are on standard output. */
import { createLogger, type Logger } from '#runtime/tracing/log.ts';

export interface HeardLogger {
  readonly logger: Logger;
  /** All so far, oldest first; to be emptied where a test wants only its own. */
  readonly lines: Record<string, unknown>[];
}

export function createHeardLogger(): HeardLogger {
  const lines: Record<string, unknown>[] = [];
  const destination = {
    write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>),
  };
  return { logger: createLogger({ name: 'test', destination }), lines };
}
