/**
 * Spans, as the hub's code speaks of them; `open-telemetry.ts` makes them OpenTelemetry's. Where no endpoint is set there
 * is no `Tracing`, nothing of the SDK is loaded, and whoever would start a span finds null.
 */
import type { Logger } from './log.ts';
import type { TracingSettings } from '../settings/tracing-settings.ts';

/**
 * All that a span may tell: names of OpenTelemetry's semantic conventions where there is one, else the hub's own. A fixed
 * list, so that nothing a client has sent gets in: no path, query, body or header, and no address but a target's host.
 */
export type SpanAttribute =
  | 'http.request.method'
  | 'http.route'
  | 'http.response.status_code'
  | 'url.scheme'
  | 'server.address'
  | 'server.port'
  | 'error.type'
  | 'messaging.system'
  | 'messaging.destination.name'
  | 'messaging.operation.name'
  | 'messaging.operation.type'
  | 'messaging.message.id'
  | 'messaging.batch.message_count'
  | 'hub.request.id'
  | 'hub.error.code'
  | 'hub.job.kind'
  | 'hub.job.end'
  | 'hub.slot.wait_ms';

export type SpanAttributes = Readonly<Partial<Record<SpanAttribute, string | number>>>;

export interface NewSpan {
  /** Of a fixed list, such as `POST /v1/redemptions`. */
  readonly name: string;
  readonly kind: 'server' | 'client' | 'consumer';
  /** The `traceparent` of the span that this one is a part of; a trace begins with it when there is none. */
  readonly parent?: string | undefined;
  /** The `traceparent`s of spans that have to do with it. Without a parent it is sampled if one of them is. */
  readonly links?: readonly string[];
  readonly attributes: SpanAttributes;
}

export interface Span {
  /** Names this span to what it causes, in this process or another. */
  readonly traceparent: string;
  /** Notes that another span has to do with it. */
  link(traceparent: string): void;
  end(ended?: SpanEnd): void;
}

export interface SpanEnd {
  readonly attributes?: SpanAttributes;
  /** Whether what the span stands for has failed. */
  readonly failed?: boolean;
}

export interface Tracing {
  start(span: NewSpan): Span;
  /** Sends what waits to be sent; how long that may take is for the caller to bound. Never rejects. */
  close(): Promise<void>;
}

export interface TracedProcess {
  /** `service.name`, unless the operator has set another. */
  readonly name: string;
  readonly version: string;
}

/** @returns null where nothing is to be traced */
export async function openTracing(
  settings: TracingSettings | null,
  process: TracedProcess,
  logger: Logger,
): Promise<Tracing | null> {
  if (settings === null) return null;
  const { createOpenTelemetry } = await import('./open-telemetry.ts');
  return createOpenTelemetry(settings, process, logger);
}
