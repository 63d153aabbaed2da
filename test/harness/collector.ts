/** Collects traces in tests: an HTTP server on loopback that reads OTLP in JSON. */
import { waitUntil } from './wait-until.ts';

export interface ToldSpan {
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the root span of a trace. */
  readonly parentSpanId: string;
  /** As in the protocol: 2 is a server, 3 a client, 5 a consumer. */
  readonly kind: number;
  readonly failed: boolean;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Ids of the linked spans. */
  readonly links: readonly string[];
}

export interface Collector {
  /** A value for `OTEL_EXPORTER_OTLP_ENDPOINT`, without a path. */
  readonly url: string;
  /** Received so far. */
  readonly spans: readonly ToldSpan[];
  /** The same, as received. */
  readonly texts: readonly string[];
  readonly requests: readonly Request[];
  /** Waits until the spans satisfy the condition. */
  until(wanted: (spans: readonly ToldSpan[]) => boolean): Promise<void>;
  stop(): Promise<void>;
}

interface OtlpAttribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number | string };
}

interface OtlpSpan extends Omit<ToldSpan, 'service' | 'attributes' | 'links' | 'failed' | 'parentSpanId'> {
  readonly parentSpanId?: string;
  readonly attributes: readonly OtlpAttribute[];
  readonly links?: readonly { readonly spanId: string }[];
  readonly status?: { readonly code?: number };
}

interface OtlpBody {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly OtlpAttribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

const failedStatus = 2;

/** @param answer the response to each export; an empty success if left out */
export function startCollector(
  answer: () => Response | Promise<Response> = () => Response.json({}),
): Collector {
  const spans: ToldSpan[] = [];
  const texts: string[] = [];
  const requests: Request[] = [];
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async (request) => {
      const text = await request.text();
      requests.push(request);
      texts.push(text);
      // The exporter writes the form of the protocol.
      spans.push(...spansIn(JSON.parse(text) as OtlpBody));
      return answer();
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    spans,
    texts,
    requests,
    until: (wanted) => waitUntil(() => Promise.resolve(wanted(spans))),
    stop: () => server.stop(true),
  };
}

function spansIn({ resourceSpans }: OtlpBody): ToldSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(valuesOf(resource.attributes)['service.name']);
    return scopeSpans.flatMap((scope) =>
      scope.spans.map(({ attributes, links = [], status, parentSpanId = '', ...span }) => ({
        ...span,
        service,
        parentSpanId,
        failed: status?.code === failedStatus,
        attributes: valuesOf(attributes),
        links: links.map(({ spanId }) => spanId),
      })),
    );
  });
}

function valuesOf(attributes: readonly OtlpAttribute[]): Record<string, unknown> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]),
  );
}
