/** A collector of traces for tests: a real HTTP server on loopback that reads OTLP in its JSON form. */
import { waitUntil } from './wait-until.ts';

export interface ToldSpan {
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the first span of a trace. */
  readonly parentSpanId: string;
  /** Of the protocol: 2 is a server's, 3 a client's, 5 a consumer's. */
  readonly kind: number;
  readonly failed: boolean;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Ids of the spans that it is linked to. */
  readonly links: readonly string[];
}

export interface Collector {
  /** Without a path, as `OTEL_EXPORTER_OTLP_ENDPOINT` has it. */
  readonly url: string;
  /** What came in so far. */
  readonly spans: readonly ToldSpan[];
  /** The same, as it came over the wire. */
  readonly texts: readonly string[];
  readonly requests: readonly Request[];
  /** Waits until the spans are as wanted. */
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

/** @param answer to what was told; an empty success when left out */
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
      // Written by the exporter, in the form of the protocol.
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
