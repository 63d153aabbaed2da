/** A logger that records its lines as objects. */
import { createLogger } from '#runtime/tracing/log.ts';

export function createRecordingLogger() {
  /** Oldest first. A test may empty it. */
  const lines: Record<string, unknown>[] = [];
  const destination = {
    write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>),
  };
  return { logger: createLogger({ name: 'test', destination }), lines };
}
