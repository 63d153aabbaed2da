/** Runs of all products. `/v1/eval-jobs` is a view of them. */
import { Elysia } from 'elysia';
import { findOwnRun } from '#domain/runs/find-run.ts';
import { showRun } from './model.ts';
import { object } from '../schemas/object.ts';
import { uuid } from '../schemas/values.ts';
import { streamProgress } from '../streams/progress-stream.ts';
import { edge, input, replies } from '../plugins/edge.ts';

const runKey = object({ id: uuid('The id of one of your runs.') });

export const runRoutes = new Elysia({ tags: ['redemptions'] }).use(edge).get(
  '/v1/runs/:id/events',
  async ({ ctx, deps, params, request }) => {
    await findOwnRun(ctx, { runId: params.id });
    return streamProgress({
      ctx,
      signals: deps.signals,
      streams: deps.streams,
      runId: params.id,
      show: (run) => ({ run: showRun(run) }),
      request,
      ending: deps.ending,
    });
  },
  {
    agent: true,
    params: input(runKey),
    response: replies({ 200: { description: 'A stream of events.', contentType: 'text/event-stream' } }),
    errors: ['run_not_found'],
    detail: {
      summary: 'Follow a run of any product',
      description:
        'Server-Sent Events: `progress` for each case that ends (from the first, or after `Last-Event-ID`), then `completed` or `failed` with the run, then the stream ends.',
    },
  },
);
