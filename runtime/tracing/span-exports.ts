/**
 * Watches the export of spans. Spans that the collector rejects are lost, and the log says so at most once a
 * minute.
 */
import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import type { Logger } from './log.ts';

const toldEveryMs = 60_000;

/** @param nowMs a monotonic clock, for tests */
export function watchExports(
  exporter: SpanExporter,
  logger: Logger,
  nowMs: () => number = () => performance.now(),
): SpanExporter {
  let toldAtMs = -Infinity;
  let lost = 0;
  let isTold = false;

  function note(spans: number, { code, error }: ExportResult): void {
    if (code === ExportResultCode.SUCCESS) {
      if (isTold) logger.info('the collector accepts spans again');
      isTold = false;
      return;
    }
    lost += spans;
    if (nowMs() - toldAtMs < toldEveryMs) return;
    logger.warn({ lost, reason: reasonOf(error) }, 'could not export spans to the collector');
    toldAtMs = nowMs();
    isTold = true;
    lost = 0;
  }

  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        note(spans.length, result);
        done(result);
      }),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
    shutdown: () => exporter.shutdown(),
  };
}

/** Not the error itself, which contains the collector's response. */
function reasonOf(error: Error | undefined): string {
  if (error === undefined) return 'unknown';
  const code = 'code' in error ? String(error.code) : error.name;
  return error.message === '' ? code : `${code}: ${error.message.slice(0, 200)}`;
}
