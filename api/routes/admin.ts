/** The state of the hub, for maintainers. */
import { Type } from 'typebox';
import { readAudit, readHealth } from '#domain/admin/hub-state.ts';
import { endpoint } from '../endpoint.ts';
import { component, nullable, object } from '../schemas/object.ts';

const health = endpoint({
  method: 'GET',
  path: '/v1/admin/health',
  summary: 'Get the pending work in each queue',
  description: 'For maintainers.',
  tag: 'operation',
  auth: 'maintainer',
  responses: {
    200: {
      description: 'The queues.',
      schema: component(
        'QueueHealth',
        object({
          queues: Type.Array(
            object({
              name: Type.String(),
              open: nullable(
                Type.Integer({ minimum: 0, description: 'Open jobs; null for a queue without stored jobs.' }),
              ),
              oldest_waiting_ms: Type.Number({ minimum: 0 }),
            }),
          ),
        }),
      ),
    },
  },
  handle: async ({ ctx }) => ({
    queues: (await readHealth(ctx)).map(({ name, open, oldestWaitingMs }) => ({
      name,
      open,
      oldest_waiting_ms: oldestWaitingMs,
    })),
  }),
});

const audit = endpoint({
  method: 'GET',
  path: '/v1/admin/audit',
  summary: 'Recompute the stored totals of the hub',
  description: 'For maintainers. Each check reads a whole table.',
  tag: 'operation',
  auth: 'maintainer',
  responses: {
    200: {
      description: 'One result per check.',
      schema: component(
        'HubAudit',
        object({
          checks: Type.Array(
            object({
              name: Type.String(),
              promise: Type.String({ description: 'What the check guarantees.' }),
              drifts: Type.Integer({ minimum: 0, description: 'Differences found; counting stops at 20.' }),
              took_ms: Type.Integer({ minimum: 0 }),
            }),
          ),
        }),
      ),
    },
  },
  handle: async ({ ctx }) => ({
    checks: (await readAudit(ctx)).map(({ name, promise, drifts, tookMs }) => ({
      name,
      promise,
      drifts: drifts.length,
      took_ms: tookMs,
    })),
  }),
});

export const adminEndpoints = [health, audit];
