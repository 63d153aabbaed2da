/** Collects traces in tests: an HTTP server on loopback that reads OTLP in JSON. */
import { serveLocally } from './serve-locally.ts';
import { waitUntil } from './wait-until.ts';

interface OtlpAttribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number | string };
}

interface OtlpSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  /** 2 is a server, 3 a client, 5 a consumer. */
  readonly kind: number;
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

export type ToldSpan = ReturnType<typeof spansIn>[number];
export type Collector = ReturnType<typeof startCollector>;

const failedStatus = 2;

/** @param answer the response to each export; an empty success if left out */
export function startCollector(answer: () => Response | Promise<Response> = () => Response.json({})) {
  const spans: ToldSpan[] = [];
  /** The same, as received. */
  const texts: string[] = [];
  const requests: Request[] = [];
  const server = serveLocally(async (request) => {
    const text = await request.text();
    requests.push(request);
    texts.push(text);
    // The exporter writes the form of the protocol.
    spans.push(...spansIn(JSON.parse(text) as OtlpBody));
    return answer();
  });
  return {
    /** A value for `OTEL_EXPORTER_OTLP_ENDPOINT`, without a path. */
    url: server.origin,
    spans,
    texts,
    requests,
    until: (wanted: (spans: readonly ToldSpan[]) => boolean) => waitUntil(() => wanted(spans)),
    stop: server.stop,
  };
}

function spansIn({ resourceSpans }: OtlpBody) {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(valuesOf(resource.attributes)['service.name']);
    return scopeSpans.flatMap((scope) =>
      scope.spans.map(({ attributes, links = [], status, parentSpanId = '', ...span }) => ({
        ...span,
        service,
        /** Empty for the root span of a trace. */
        parentSpanId,
        failed: status?.code === failedStatus,
        attributes: valuesOf(attributes),
        /** Ids of the linked spans. */
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
