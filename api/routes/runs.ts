/** Runs of all products. `/v1/eval-jobs` and `/v1/agent-runs` are views of them. */
import { Type } from 'typebox';
import { findOwnRun, listRuns } from '#domain/runs/find-run.ts';
import { productNames } from '#domain/runs/products.ts';
import { endpoint } from '../endpoint.ts';
import { pageResponse } from '../response/page-response.ts';
import { Run, showRun } from '../schemas/eval-job.ts';
import { component, object } from '../schemas/object.ts';
import { nextCursor, oneOf, pageMax, paging, uuid } from '../schemas/values.ts';
import { streamProgress } from '../streams/progress-stream.ts';
import { anyRunEndpoints } from './any-run.ts';

const runKey = object({ id: uuid('The id of one of your runs.') });

const list = endpoint({
  method: 'GET',
  path: '/v1/runs',
  summary: 'List your runs of all products, newest first',
  tag: 'redemptions',
  auth: 'agent',
  query: object({
    ...paging(),
    product: Type.Optional(oneOf([...productNames], { description: 'All products by default.' })),
  }),
  responses: {
    200: {
      description: 'A page of your runs.',
      schema: component('RunList', object({ runs: Type.Array(Run), next_cursor: nextCursor() })),
    },
  },
  handle: async ({ ctx, query, request }) => {
    const { limit = pageMax, cursor = null, product } = query;
    const page = await listRuns(ctx, { limit, cursor, product });
    return pageResponse(request, page.nextCursor, {
      runs: page.items.map(showRun),
      next_cursor: page.nextCursor,
    });
  },
});

const follow = endpoint({
  method: 'GET',
  path: '/v1/runs/:id/events',
  summary: 'Follow a run of any product',
  description:
    'Server-Sent Events: `progress` for each case or task that ends (from the first, or after `Last-Event-ID`), then `completed` or `failed` with the run, then the stream ends.',
  tag: 'redemptions',
  auth: 'agent',
  params: runKey,
  responses: { 200: { description: 'A stream of events.', contentType: 'text/event-stream' } },
  errors: ['run_not_found'],
  handle: async ({ ctx, deps, params, request }) => {
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
});

export const runEndpoints = [list, follow, ...anyRunEndpoints];
