/**
 * The hub's interface to tracing, implemented by `open-telemetry.ts`. If no endpoint is set, `Tracing` is
 * null and the SDK is not loaded.
 */
import type { Logger } from './log.ts';
import type { TracingSettings } from '../settings/tracing-settings.ts';

/**
 * The allowed attributes of a span: names of OpenTelemetry's semantic conventions where one exists, else the
 * hub's own. The list is fixed so that no client data gets in: no path, query, body or header, and no address
 * except a target's host.
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
  | 'gen_ai.operation.name'
  | 'gen_ai.provider.name'
  | 'gen_ai.conversation.id'
  | 'gen_ai.usage.input_tokens'
  | 'gen_ai.usage.output_tokens'
  | 'hub.request.id'
  | 'hub.error.code'
  | 'hub.job.kind'
  | 'hub.job.end'
  | 'hub.slot.wait_ms';

export type SpanAttributes = Readonly<Partial<Record<SpanAttribute, string | number>>>;

export interface NewSpan {
  /** From a fixed list, such as `POST /v1/redemptions`. */
  readonly name: string;
  readonly kind: 'server' | 'client' | 'consumer';
  /** The `traceparent` of the parent span. Without one, the span starts a trace. */
  readonly parent?: string | undefined;
  /** The `traceparent`s of related spans. Without a parent, the span is sampled if one of them is. */
  readonly links?: readonly string[];
  readonly attributes: SpanAttributes;
}

export interface Span {
  /** Identifies this span to the work that it causes, in this process or another. */
  readonly traceparent: string;
  /** Links a related span. */
  link(traceparent: string): void;
  end(ended?: SpanEnd): void;
}

export interface SpanEnd {
  readonly attributes?: SpanAttributes;
  /** Whether the traced work failed. */
  readonly failed?: boolean;
}

export interface Tracing {
  start(span: NewSpan): Span;
  /** Exports waiting spans. Never rejects. The caller must bound the wait. */
  close(): Promise<void>;
}

export interface TracedProcess {
  /** `service.name`, unless the operator has set another. */
  readonly name: string;
  readonly version: string;
}

/** @returns null if nothing is to be traced */
export async function openTracing(
  settings: TracingSettings | null,
  process: TracedProcess,
  logger: Logger,
): Promise<Tracing | null> {
  if (settings === null) return null;
  const { createOpenTelemetry } = await import('./open-telemetry.ts');
  return createOpenTelemetry(settings, process, logger);
}
