/**
 * Creates spans with the OpenTelemetry SDK and exports them over OTLP. Only processes that trace load it. It
 * registers nothing globally: the code that starts a span holds it, and passes its `traceparent` on.
 */
import {
  type Link,
  ROOT_CONTEXT,
  type Span as SdkSpan,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
} from '@opentelemetry/api';
import {
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  SamplingDecision,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { isTraceparent, type Logger } from './log.ts';
import { watchExports } from './span-exports.ts';
import type { TracedProcess, Tracing } from './tracing.ts';
import type { TracingSettings } from '../settings/tracing-settings.ts';
import { within } from '../within.ts';

/** As many as commands share a transaction, since each is linked. */
const linksMax = 512;
/** For the last export when the process ends. A slower collector loses those spans. */
const lastWordMs = 2_000;

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, consumer: SpanKind.CONSUMER } as const;

export async function createOpenTelemetry(
  settings: TracingSettings,
  process: TracedProcess,
  logger: Logger,
): Promise<Tracing> {
  const exporter = watchExports(await openExporter(settings), logger);
  const provider = new TracerProvider({
    resource: resourceOf(settings, process),
    sampler: followLinks(samplerOf(settings)),
    spanLimits: { linkCountLimit: linksMax },
    spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: settings.scheduleDelayMs })],
  });
  const tracer = provider.getTracer('agent-hub', process.version);
  return {
    start: ({ name, kind, parent, links = [], attributes }) => {
      const parentContext = parent === undefined ? undefined : spanContextOf(parent);
      const context =
        parentContext === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parentContext);
      const span = tracer.startSpan(
        name,
        { kind: kinds[kind], attributes, links: links.flatMap((link) => linkTo(link)) },
        context,
      );
      const traceparent = traceparentOf(span);
      return {
        traceparent,
        link: (other) => linkTo(other).forEach((link) => span.addLink(link)),
        end: ({ attributes: further = {}, failed = false } = {}) => {
          span.setAttributes(further);
          if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
          span.end();
        },
      };
    },
    close: async () => {
      const late = (): Error =>
        new Error(`The collector did not accept the last spans within ${lastWordMs} ms.`);
      await within(lastWordMs, provider.shutdown(), late).catch((err: unknown) =>
        logger.debug({ err }, 'could not export the last spans'),
      );
    },
  };
}

async function openExporter({
  protocol,
  tracesUrl: url,
  timeoutMs: timeoutMillis,
}: TracingSettings): Promise<SpanExporter> {
  switch (protocol) {
    case 'http/protobuf': {
      const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-proto');
      return new OTLPTraceExporter({ url, timeoutMillis });
    }
    case 'http/json': {
      const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
      return new OTLPTraceExporter({ url, timeoutMillis });
    }
  }
}

function resourceOf({ serviceName }: TracingSettings, { name, version }: TracedProcess) {
  const own = resourceFromAttributes({
    'service.name': name,
    'service.version': version,
    'service.instance.id': crypto.randomUUID(),
  });
  const chosen = serviceName === null ? {} : { 'service.name': serviceName };
  return own
    .merge(detectResources({ detectors: [resourceAttributesEnvDetector] }))
    .merge(resourceFromAttributes(chosen));
}

function samplerOf({ sampler, samplerRatio }: TracingSettings): Sampler {
  switch (sampler) {
    case 'always_on':
      return new AlwaysOnSampler();
    case 'always_off':
      return new AlwaysOffSampler();
    case 'traceidratio':
      return new TraceIdRatioBasedSampler(samplerRatio);
    case 'parentbased_always_on':
      return new ParentBasedSampler({ root: new AlwaysOnSampler() });
    case 'parentbased_always_off':
      return new ParentBasedSampler({ root: new AlwaysOffSampler() });
    case 'parentbased_traceidratio':
      return new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(samplerRatio) });
  }
}

/** Samples a root span if one of its links is sampled. Otherwise the linked traces would be incomplete. */
function followLinks(sampler: Sampler): Sampler {
  return {
    shouldSample: (context, traceId, name, kind, attributes, links) => {
      if (links.length === 0 || trace.getSpanContext(context) !== undefined) {
        return sampler.shouldSample(context, traceId, name, kind, attributes, links);
      }
      const isSampled = links.some((link) => (link.context.traceFlags & TraceFlags.SAMPLED) !== 0);
      return { decision: isSampled ? SamplingDecision.RECORD_AND_SAMPLED : SamplingDecision.NOT_RECORD };
    },
    toString: () => `FollowLinks{${sampler.toString()}}`,
  };
}

/** Parses a `traceparent` (W3C Trace Context, section 3.2). Undefined if it is malformed. */
function spanContextOf(traceparent: string): SpanContext | undefined {
  if (!isTraceparent(traceparent)) return undefined;
  const [, traceId = '', spanId = '', flags = ''] = traceparent.split('-');
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED, isRemote: true };
}

function traceparentOf(span: SdkSpan): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-0${traceFlags & TraceFlags.SAMPLED}`;
}

function linkTo(traceparent: string): Link[] {
  const context = spanContextOf(traceparent);
  return context === undefined ? [] : [{ context }];
}
