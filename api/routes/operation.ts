/** What the operator's monitoring asks: is the process alive, and can it serve (decisions.md section 9). */
import { Type } from 'typebox';
import { DomainError } from '#domain/errors.ts';
import { checkReadiness } from '#domain/check-readiness.ts';
import { metricsContentType, renderMetrics } from '#runtime/tracing/metrics.ts';
import { endpoint } from '../endpoint.ts';
import { hubGaugesOf } from '../hub-gauges.ts';
import { object } from '../schemas/object.ts';

const live = endpoint({
  method: 'GET',
  path: '/livez',
  summary: 'Tell that the process is alive',
  tag: 'operation',
  auth: 'operator',
  responses: { 200: { description: 'It is.', schema: object({ live: Type.Literal(true) }) } },
  rateLimit: 'none',
  handle: () => ({ live: true as const }),
});

const ready = endpoint({
  method: 'GET',
  path: '/readyz',
  summary: 'Tell whether requests can be served',
  description: `Looks at the database and whether it takes writes, at its migrations and at Redis. A refusal names in \`failing\` all that are not well: \`database\`,
\`migrations\`, \`redis\`.`,
  tag: 'operation',
  auth: 'operator',
  responses: { 200: { description: 'They can.', schema: object({ ready: Type.Literal(true) }) } },
  errors: ['database_unavailable', 'queue_unavailable'],
  rateLimit: 'none',
  handle: async ({ deps: { db, redis } }) => {
    const unready = await checkReadiness(db, redis === null ? null : () => redis.ping());
    if (unready.length === 0) return { ready: true as const };
    const onlyRedis = unready.every(({ check }) => check === 'redis');
    throw new DomainError(
      onlyRedis ? 'queue_unavailable' : 'database_unavailable',
      unready.map(({ message }) => message).join(' '),
      { fields: { failing: unready.map(({ check }) => check) }, cause: unready[0]?.cause },
    );
  },
});

const getMetrics = endpoint({
  method: 'GET',
  path: '/metrics',
  summary: 'Read the metrics for Prometheus',
  description: `Of this process: requests, memory, processor, event loop. Of the hub as a whole: queues and waiting work. What workers
do is told by their own processes (\`--metrics-port\`).`,
  tag: 'operation',
  auth: 'operator',
  responses: { 200: { description: 'Prometheus’ text form.', contentType: 'text/plain' } },
  rateLimit: 'none',
  handle: async ({ deps }) =>
    new Response(await renderMetrics(await hubGaugesOf(deps).refresh()), {
      headers: { 'content-type': metricsContentType },
    }),
});

export const operationEndpoints = [live, ready, getMetrics];
