/** Runs of all products. `/v1/eval-jobs` and `/v1/agent-runs` are views of them. */
import { findOwnRun } from '#domain/runs/find-run.ts';
import { endpoint } from '../endpoint.ts';
import { showRun } from '../schemas/run.ts';
import { object } from '../schemas/object.ts';
import { uuid } from '../schemas/values.ts';
import { streamProgress } from '../streams/progress-stream.ts';
import { anyRunEndpoints, completedBy, listAnyRuns, showAnyRun } from './any-run.ts';

const runKey = object({ id: uuid('The id of one of your runs.') });

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

export const runResources = [
  {
    name: 'suite-run',
    description: 'The result of one of your suite runs.',
    uri: '/v1/runs/{run_id}',
    mimeType: 'application/json',
    endpoint: showAnyRun,
    names: { id: 'run_id' },
    completions: { run_id: completedBy('suite-run') },
  },
];

export const runEndpoints = [listAnyRuns, follow, ...anyRunEndpoints];
