/** Runs in the formats of other tools, as files. */
import { Type } from 'typebox';
import { exportRun } from '#domain/runs/export-run.ts';
import { exportEveryEvalEver } from '#evals/export/every-eval-ever.ts';
import { exportInspect, inspectFileName } from '#evals/export/inspect.ts';
import { exportJunit } from '#evals/export/junit.ts';
import { exportCsv, exportJsonl } from '#evals/export/lines.ts';
import type { ExportedRun } from '#evals/export/run-export.ts';
import { endpoint } from '../endpoint.ts';
import { component, object } from '../schemas/object.ts';
import { oneOf, uuid } from '../schemas/values.ts';

interface Format {
  readonly type: string;
  write(run: ExportedRun, now: Date): AsyncGenerator<string>;
  nameOf(run: ExportedRun): string;
}

const formats = {
  jsonl: { type: 'application/x-ndjson', write: exportJsonl, nameOf: ({ id }) => `run-${id}.jsonl` },
  csv: { type: 'text/csv; charset=utf-8', write: exportCsv, nameOf: ({ id }) => `run-${id}.csv` },
  junit: { type: 'application/xml; charset=utf-8', write: exportJunit, nameOf: ({ id }) => `run-${id}.xml` },
  inspect: { type: 'application/json; charset=utf-8', write: exportInspect, nameOf: inspectFileName },
  'every-eval-ever': {
    type: 'application/json; charset=utf-8',
    write: exportEveryEvalEver,
    nameOf: ({ id }) => `run-${id}.every-eval-ever.json`,
  },
} as const satisfies Record<string, Format>;

const formatNames = ['jsonl', 'csv', 'junit', 'inspect', 'every-eval-ever'] as const;

export const exportAnyRun = endpoint({
  method: 'GET',
  path: '/v1/runs/:id/export',
  summary: 'Export a completed run of any product for other tools',
  description:
    'A file: `jsonl` and `csv` have one line for each item and trial, `junit` one test case for each item, `inspect` is a log that `inspect view` opens, and `every-eval-ever` a record of the figures. What the run hides from you is null or empty.',
  tag: 'redemptions',
  auth: 'agent',
  params: object({ id: uuid('The id of one of your runs.') }),
  query: object({ format: oneOf(formatNames, { description: 'The format of the file.' }) }),
  responses: {
    200: {
      description: 'The file.',
      schema: component('RunExport', Type.Record(Type.String(), Type.Unknown())),
      otherContentTypes: ['application/x-ndjson', 'text/csv', 'application/xml'],
      headers: { 'Content-Disposition': 'The name of the file.' },
    },
  },
  errors: [
    'run_not_found',
    'run_not_completed',
    'eval_job_not_completed',
    'agent_run_not_completed',
    'cases_pruned',
  ],
  handle: async ({ ctx, params, query }) => {
    const run = await exportRun(ctx, { runId: params.id });
    const format: Format = formats[query.format];
    return new Response(streamOf(format.write(run, ctx.clock.now())), {
      headers: {
        'content-type': format.type,
        'content-disposition': `attachment; filename="${format.nameOf(run)}"`,
        'cache-control': 'no-store',
      },
    });
  },
});

/** In pieces of some size: a run may have 16,000 replies. */
function streamOf(texts: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const pieceCharacters = 65_536;
  return new ReadableStream({
    pull: async (controller) => {
      let piece = '';
      while (piece.length < pieceCharacters) {
        const { done, value } = await texts.next();
        if (done === true) {
          if (piece !== '') controller.enqueue(encoder.encode(piece));
          return controller.close();
        }
        piece += value;
      }
      controller.enqueue(encoder.encode(piece));
    },
    cancel: async () => {
      await texts.return(undefined);
    },
  });
}
