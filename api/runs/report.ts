/** Reports of runs: for people, for CI, and in the formats of other tools. The bars are decided here, for every client. */
import { Elysia } from 'elysia';
import { Type } from 'typebox';
import { reportRun } from '#domain/runs/report-run.ts';
import { minComparedDefault } from '#evals/report/bars.ts';
import { writeDetails } from '#evals/report/details.ts';
import { writeHtml } from '#evals/report/html.ts';
import { writeJson } from '#evals/report/json.ts';
import { type Report, whyNotHeld } from '#evals/report/report.ts';
import { writeMarkdown, writeText } from '#evals/report/text.ts';
import { exportEveryEvalEver } from '#evals/export/every-eval-ever.ts';
import { exportInspect, inspectFileName } from '#evals/export/inspect.ts';
import { exportJunit } from '#evals/export/junit.ts';
import { exportCsv, exportJsonl } from '#evals/export/lines.ts';
import { exportOtlp } from '#evals/export/otlp.ts';
import type { ExportedRun } from '#evals/export/run-export.ts';
import { component, oneOf, uuid } from '../schemas.ts';
import { baselineOf } from './model.ts';
import { edge, fields, replies } from '../plugins/edge.ts';
import { download } from '../streams/download.ts';

interface Format {
  readonly type: string;
  write(report: Report, now: Date): AsyncGenerator<string>;
  nameOf(run: ExportedRun): string;
}

type Write = (run: ExportedRun, now: Date) => AsyncGenerator<string>;

const ofRun =
  (write: Write): Format['write'] =>
  ({ run }, now) =>
    write(run, now);

const fileWith =
  (ending: string): Format['nameOf'] =>
  ({ id }) =>
    `run-${id}.${ending}`;

const json = 'application/json; charset=utf-8';
const lines = 'application/x-ndjson';

const formats = {
  json: { type: json, write: writeJson, nameOf: fileWith('json') },
  text: { type: 'text/plain; charset=utf-8', write: writeText, nameOf: fileWith('txt') },
  markdown: { type: 'text/markdown; charset=utf-8', write: writeMarkdown, nameOf: fileWith('md') },
  html: { type: 'text/html; charset=utf-8', write: writeHtml, nameOf: fileWith('html') },
  jsonl: { type: lines, write: ofRun(exportJsonl), nameOf: fileWith('jsonl') },
  csv: { type: 'text/csv; charset=utf-8', write: ofRun(exportCsv), nameOf: fileWith('csv') },
  junit: {
    type: 'application/xml; charset=utf-8',
    write: (report) =>
      exportJunit(report.run, {
        gone: report.change?.reach.gone,
        notHeld: whyNotHeld(report),
      }),
    nameOf: fileWith('xml'),
  },
  inspect: { type: json, write: ofRun(exportInspect), nameOf: inspectFileName },
  'every-eval-ever': {
    type: json,
    write: ofRun(exportEveryEvalEver),
    nameOf: fileWith('every-eval-ever.json'),
  },
  otlp: { type: lines, write: ofRun(exportOtlp), nameOf: fileWith('otlp.jsonl') },
} as const satisfies Record<string, Format>;

// The keys of the table are all formats.
const formatNames = Object.keys(formats) as [keyof typeof formats, ...(keyof typeof formats)[]];

export const runReportRoutes = new Elysia({ tags: ['redemptions'] }).use(edge).get(
  '/v1/runs/:id/report',
  (call) =>
    download(call, async () => {
      const { ctx, params, query } = call;
      const report = await reportRun(ctx, {
        runId: params.id,
        baseline: query.baseline ?? null,
        minPass: query.min_pass,
        minScore: query.min_score,
        failOn: query.fail_on,
        minCompared: query.min_compared,
      });
      const format: Format = formats[query.format ?? 'json'];
      return {
        type: format.type,
        name: format.nameOf(report.run),
        texts: withDetails(report, query, format.write(report, ctx.clock.now())),
      };
    }),
  {
    agent: true,
    params: fields({ id: uuid('The id of one of your runs.') }),
    query: fields({
      format: Type.Optional(oneOf(formatNames, { default: 'json', description: 'The format.' })),
      detail: Type.Optional(
        oneOf(['summary', 'failed', 'full'], {
          default: 'summary',
          description: 'For `markdown`: `failed` adds the cases that have not passed, `full` every case.',
        }),
      ),
      baseline: Type.Optional(
        baselineOf(
          'What to compare with: the id of an earlier run, `latest` for all earlier runs, or `branch:LABEL` for those with this label. With the last two, each case is compared with the newest of these in which it has a verdict.',
        ),
      ),
      min_pass: Type.Optional(
        Type.Number({ minimum: 0, maximum: 1, description: 'The lowest pass rate of a run of cases.' }),
      ),
      min_score: Type.Optional(Type.Number({ minimum: 0, maximum: 100, description: 'The lowest score.' })),
      fail_on: Type.Optional(
        oneOf(['broken', 'worse'], {
          description:
            'With a baseline: a case that passed in an earlier run fails in all trials, or the run is clearly worse than the newest verdicts.',
        }),
      ),
      min_compared: Type.Optional(
        Type.Number({
          minimum: 0,
          maximum: 1,
          default: minComparedDefault,
          description: 'With `fail_on`: the lowest share of the cases of both runs that can be compared.',
        }),
      ),
    }),
    response: replies({
      200: {
        description: 'The report.',
        schema: component('RunReport', Type.Record(Type.String(), Type.Unknown())),
        otherContentTypes: [
          'text/plain',
          'text/markdown',
          'text/html',
          'application/x-ndjson',
          'text/csv',
          'application/xml',
        ],
        headers: { 'Content-Disposition': 'The name of the file.' },
      },
    }),
    errors: ['run_not_found', 'run_not_completed', 'gone', 'conflict', 'busy'],
    detail: {
      summary: 'Report a completed run of any product, with bars and a comparison',
      description:
        '`json` says whether the bars held, with the counts that decide; `text`, `markdown` and `html` are for people. `outcome` is `not_possible` if no trial got a reply, or only empty ones, or if the run ended before all cases were answered, unless `min_pass` or `min_score` is set, or `fail_on` with an earlier run to compare with. The others are files: `jsonl` and `csv` have one line for each item and trial, `junit` one test case for each item, `inspect` is a log that `inspect view` opens, `every-eval-ever` a record of the figures, and `otlp` has one OTLP/JSON export for each trial, with its conversation as a `gen_ai` span. What the run hides from you is null or empty.',
    },
  },
);

interface Detailed {
  readonly format?: string;
  readonly detail?: 'summary' | 'failed' | 'full';
}

async function* withDetails(
  report: Report,
  { format, detail = 'summary' }: Detailed,
  texts: AsyncGenerator<string>,
): AsyncGenerator<string> {
  yield* texts;
  if (format === 'markdown' && detail !== 'summary') yield* writeDetails(report, detail);
}
