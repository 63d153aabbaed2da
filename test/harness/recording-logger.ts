/** A logger that records its lines as objects. */
import { createLogger, type Logger } from '#runtime/tracing/log.ts';

export interface RecordingLogger {
  readonly logger: Logger;
  /** Oldest first. A test may empty it. */
  readonly lines: Record<string, unknown>[];
}

export function createRecordingLogger(): RecordingLogger {
  const lines: Record<string, unknown>[] = [];
  const destination = {
    write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>),
  };
  return { logger: createLogger({ name: 'test', destination }), lines };
}
