/** The state of the hub, for maintainers. */
import { Elysia } from 'elysia';
import { Type } from 'typebox';
import { readAudit, readHealth, readOperation } from '#domain/admin/hub-state.ts';
import { instant, named, nullable, object, oneOf } from '../schemas.ts';
import { edge, ok } from '../plugins/edge.ts';

export const adminRoutes = new Elysia({ tags: ['operation'] })
  .use(edge)
  .get(
    '/v1/admin/health',
    async ({ ctx }) => {
      const [queues, { freeze, backups }] = await Promise.all([readHealth(ctx), readOperation(ctx)]);
      return {
        frozen: freeze === null ? null : { since: freeze.frozenAt.toISOString(), reason: freeze.reason },
        backups: {
          last_good_at: backups.lastGood?.startedAt.toISOString() ?? null,
          failed_step: backups.last?.failedStep ?? null,
          failure: backups.last?.failure ?? null,
        },
        queues: queues.map(({ name, open, oldestWaitingMs }) => ({
          name,
          open,
          oldest_waiting_ms: oldestWaitingMs,
        })),
      };
    },
    {
      maintainer: true,
      response: ok(
        'The queues, the freeze and the backups.',
        named('HubHealth', {
          frozen: nullable(object({ since: instant(), reason: nullable(Type.String()) })),
          backups: object({
            last_good_at: nullable(instant()),
            failed_step: nullable(oneOf(['copy', 'check', 'command'])),
            failure: nullable(Type.String()),
          }),
          queues: Type.Array(
            object({
              name: Type.String(),
              open: nullable(
                Type.Integer({
                  minimum: 0,
                  description: 'Open jobs; null for a queue without stored jobs.',
                }),
              ),
              oldest_waiting_ms: Type.Number({ minimum: 0 }),
            }),
          ),
        }),
      ),
      detail: { summary: 'Get the state of queues, backups and the freeze' },
    },
  )
  .get(
    '/v1/admin/audit',
    async ({ ctx }) => ({
      checks: (await readAudit(ctx)).map(({ name, promise, drifts, tookMs }) => ({
        name,
        promise,
        drifts: drifts.length,
        took_ms: tookMs,
      })),
    }),
    {
      maintainer: true,
      response: ok(
        'One result per check.',
        named('HubAudit', {
          checks: Type.Array(
            object({
              name: Type.String(),
              promise: Type.String({ description: 'What the check guarantees.' }),
              drifts: Type.Integer({
                minimum: 0,
                description: 'Differences found; counting stops at 20.',
              }),
              took_ms: Type.Integer({ minimum: 0 }),
            }),
          ),
        }),
      ),
      detail: {
        summary: 'Recompute the stored totals of the hub',
        description: 'Each check reads a whole table.',
      },
    },
  );
