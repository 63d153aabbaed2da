/** Endpoints for the operator's monitoring: liveness, readiness and metrics. */
import { Elysia } from 'elysia';
import { Type } from 'typebox';
import { freezeOf } from '#db/transaction.ts';
import { DomainError } from '#domain/errors.ts';
import { hasCredentials } from '#runtime/inbound-http/operator-access.ts';
import { metricsContentType, renderMetrics } from '#runtime/tracing/metrics.ts';
import { hubGaugesOf, readinessOf } from '../hub-gauges.ts';
import { instant, nullable, object } from '../schemas.ts';
import { edge, ok, replies } from '../plugins/edge.ts';

export const operationRoutes = new Elysia({ tags: ['operation'] })
  .use(edge)
  .get('/livez', () => ({ live: true as const }), {
    operator: true,
    reportsToMachine: true,
    response: ok('It is.', object({ live: Type.Literal(true) })),
    limit: 'none',
    detail: { summary: 'Check that the process is alive' },
  })
  .get(
    '/readyz',
    async ({ deps, request }) => {
      const unready = await readinessOf(deps).check();
      if (unready.length === 0) {
        if (!hasCredentials(request)) return { ready: true as const };
        const freeze = await freezeOf(deps.db);
        const warnings = await readinessOf(deps).warnings(deps.clock.now());
        return {
          ready: true as const,
          ...(freeze === null ? {} : { frozen_since: freeze.frozenAt.toISOString() }),
          ...(warnings.length === 0 ? {} : { warnings }),
        };
      }
      const onlyRedis = unready.every(({ check }) => check === 'redis');
      const code = onlyRedis ? 'queue_unavailable' : 'database_unavailable';
      // A proxy may hide that it is one, so programs on this machine learn no more than the status.
      if (!hasCredentials(request)) throw new DomainError(code, 'The process cannot serve requests.');
      throw new DomainError(code, unready.map(({ message }) => message).join(' '), {
        fields: { failing: unready.map(({ check }) => check) },
        cause: unready[0]?.cause,
      });
    },
    {
      operator: true,
      reportsToMachine: true,
      response: ok(
        'They can.',
        object({
          ready: Type.Literal(true),
          frozen_since: Type.Optional(instant('Present while the hub is frozen.')),
          warnings: Type.Optional(
            Type.Array(Type.String(), {
              description:
                'Present while the disk of the database is nearly full, or the last scheduled backup has failed or is too old.',
            }),
          ),
        }),
      ),
      errors: ['database_unavailable', 'queue_unavailable'],
      limit: 'none',
      detail: {
        summary: 'Check that the process can serve requests',
        description:
          'Checks the migrations, and writes to database and Redis: a row that is rolled back, and a key of one second. Writes are shared for two seconds. An error lists in `failing` what failed: `database`, `migrations`, `redis`. Programs on the machine of the hub get the bare status without a key.',
      },
    },
  )
  .get(
    '/metrics',
    async ({ deps }) =>
      new Response(await renderMetrics(await hubGaugesOf(deps).refresh()), {
        headers: { 'content-type': metricsContentType },
      }),
    {
      operator: true,
      response: replies({ 200: { description: 'The Prometheus text format.', contentType: 'text/plain' } }),
      limit: 'none',
      detail: {
        summary: 'Get the metrics for Prometheus',
        description:
          'Of this process, and the queues and pending work of the whole hub. Workers report their own (`--metrics-port`).',
      },
    },
  )
  .get(
    '/admin/connection',
    ({ clientAddress, request: { headers } }) => ({
      client_address: clientAddress(),
      forwarded_for: headers.get('x-forwarded-for'),
      host: headers.get('host'),
    }),
    {
      operator: true,
      response: ok(
        'The connection.',
        object({
          client_address: Type.String({ description: 'The address that counts for rate limits.' }),
          forwarded_for: nullable(Type.String({ description: 'The header `X-Forwarded-For`.' })),
          host: nullable(Type.String({ description: 'The header `Host`.' })),
        }),
      ),
      limit: 'none',
      hidden: true,
      detail: { summary: 'Get what the hub sees of this request' },
    },
  );
