/** The state of the hub, for maintainers. */
import { Elysia } from 'elysia';
import { Type } from 'typebox';
import { backupSteps } from '#db/schema/operation-tables.ts';
import { readAudit, readHealth, readOperation } from '#domain/admin/hub-state.ts';
import { instant, named, nullable, object, oneOf } from '../schemas.ts';
import { edge, ok } from '../plugins/edge.ts';
import { toWire } from '../wire.ts';

const Health = named('HubHealth', {
  frozen: nullable(object({ since: instant(), reason: nullable(Type.String()) })),
  backups: object({
    last_good_at: nullable(instant()),
    failed_step: nullable(oneOf(backupSteps)),
    failure: nullable(Type.String()),
  }),
  queues: Type.Array(
    object({
      name: Type.String(),
      open: nullable(
        Type.Integer({ minimum: 0, description: 'Open jobs; null for a queue without stored jobs.' }),
      ),
      oldest_waiting_ms: Type.Number({ minimum: 0 }),
    }),
  ),
});

const showHealth = toWire(Health);

const Audit = named('HubAudit', {
  checks: Type.Array(
    object({
      name: Type.String(),
      promise: Type.String({ description: 'What the check guarantees.' }),
      drifts: Type.Integer({ minimum: 0, description: 'Differences found; counting stops at 20.' }),
      took_ms: Type.Integer({ minimum: 0 }),
    }),
  ),
});

const showAudit = toWire(Audit);

export const adminRoutes = new Elysia({ tags: ['operation'] })
  .use(edge)
  .get(
    '/v1/admin/health',
    async ({ ctx }) => {
      const [queues, { freeze, backups }] = await Promise.all([readHealth(ctx), readOperation(ctx)]);
      const { last, lastGood } = backups;
      return showHealth({
        frozen: freeze === null ? null : { since: freeze.frozenAt, reason: freeze.reason },
        backups: {
          lastGoodAt: lastGood?.startedAt ?? null,
          failedStep: last?.failedStep ?? null,
          failure: last?.failure ?? null,
        },
        queues,
      });
    },
    {
      maintainer: true,
      response: ok('The queues, the freeze and the backups.', Health),
      detail: { summary: 'Get the state of queues, backups and the freeze' },
    },
  )
  .get(
    '/v1/admin/audit',
    async ({ ctx }) => {
      const checks = await readAudit(ctx);
      return showAudit({ checks: checks.map((check) => ({ ...check, drifts: check.drifts.length })) });
    },
    {
      maintainer: true,
      response: ok('One result per check.', Audit),
      detail: {
        summary: 'Recompute the stored totals of the hub',
        description: 'Each check reads a whole table.',
      },
    },
  );
