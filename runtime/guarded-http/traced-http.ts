/**
 * Creates a span for each call of the guarded client, following OpenTelemetry's conventions for HTTP clients.
 * It records the host and the port but no other part of the URL, since path and query may be secrets. The
 * target belongs to a stranger, so it gets no `traceparent`.
 */
import type { Cause } from '../tracing/log.ts';
import type { SpanAttributes, SpanEnd, Tracing } from '#runtime/tracing/tracing.ts';
import type { GuardedHttp, TakeSlot } from './guarded-request.ts';
import type { GuardedOutcome } from './outcome.ts';

/** @returns the client itself if nothing is traced */
export function traceHttp(http: GuardedHttp, tracing: Tracing | null, cause: Cause): GuardedHttp {
  if (tracing === null) return http;
  return {
    answerTimeoutMs: http.answerTimeoutMs,
    request: async (request) => {
      const startedAt = performance.now();
      const span = tracing.start({
        name: request.method,
        kind: 'client',
        parent: cause.traceparent,
        attributes: { 'http.request.method': request.method, ...hostOf(request.url) },
      });
      let slotMs: number | undefined;
      let isRefused = false;
      const takeSlot: TakeSlot | undefined =
        request.takeSlot &&
        (async (address, signal, call) => {
          const slot = await request.takeSlot?.(address, signal, call).catch((error: unknown) => {
            isRefused = true;
            throw error;
          });
          slotMs = Math.round(performance.now() - startedAt);
          return slot ?? (() => undefined);
        });
      let ended: SpanEnd | null = { failed: true, attributes: { 'error.type': 'aborted' } };
      try {
        const outcome = await http.request(takeSlot === undefined ? request : { ...request, takeSlot });
        ended = endOf(outcome);
        return outcome;
      } catch (error) {
        // A call without a slot is not made. A span that never ends is not exported.
        if (isRefused) ended = null;
        throw error;
      } finally {
        const waited = slotMs === undefined ? {} : { 'hub.slot.wait_ms': slotMs };
        if (ended !== null) span.end({ ...ended, attributes: { ...ended.attributes, ...waited } });
      }
    },
    close: () => http.close(),
  };
}

function hostOf(text: string): SpanAttributes {
  const url = URL.parse(text);
  if (url === null) return {};
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
  return { 'server.address': url.hostname.replaceAll(/[[\]]/g, ''), 'server.port': port };
}

function endOf(outcome: GuardedOutcome): SpanEnd {
  if (outcome.ok) return { attributes: { 'http.response.status_code': outcome.status } };
  if (outcome.fault !== 'bad_status') return { failed: true, attributes: { 'error.type': outcome.fault } };
  const { status } = outcome;
  return { failed: true, attributes: { 'http.response.status_code': status, 'error.type': String(status) } };
}
