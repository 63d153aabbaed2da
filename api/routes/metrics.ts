/** `/metrics` of an API process: its own numbers, and what the stores tell of the hub (decisions.md section 9). */
import { metricsContentType, renderMetrics } from '#runtime/tracing/metrics.ts';
import { endpoint } from '../endpoint.ts';
import { hubGaugesOf } from '../hub-gauges.ts';

const getMetrics = endpoint({
  method: 'GET',
  path: '/metrics',
  summary: 'Read the metrics for Prometheus',
  description: `Of this process: requests, memory, processor, event loop. Of the hub as a whole: queues and waiting work. What workers
do is told by their own processes (\`--metrics-port\`).`,
  tag: 'operation',
  auth: 'operator',
  answers: { 200: { description: 'Prometheus’ text form.', contentType: 'text/plain' } },
  rateLimit: 'none',
  handle: async ({ deps }) =>
    new Response(await renderMetrics(await hubGaugesOf(deps).look()), {
      headers: { 'content-type': metricsContentType },
    }),
});

export const metricsEndpoints = [getMetrics];
