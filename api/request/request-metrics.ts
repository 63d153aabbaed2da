/** Counts requests and how long they took, by route as declared: what stands in a path never becomes a label. */
import { counter, histogram, requestSeconds } from '#runtime/tracing/metrics.ts';
import type { RequestRecord } from './request-log.ts';

const requests = counter('hub_http_requests_total', 'Requests answered.', ['method', 'route', 'status']);
const seconds = histogram(
  'hub_http_request_duration_seconds',
  'From the arrival of a request until its answer leaves; of a stream, until it begins.',
  requestSeconds,
  ['method', 'route'],
);

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

export function countRequest({ method, route, status, startedAt }: RequestRecord): void {
  const known = methods.has(method) ? method : 'other';
  requests.inc({ method: known, route, status });
  seconds.observe({ method: known, route }, (performance.now() - startedAt) / 1000);
}
