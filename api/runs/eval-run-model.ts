/** An eval run with its scorecard, which is its report in three formats, its findings and its cases. */
import { type Static, Type } from 'typebox';
import type { ShownRun } from '#domain/runs/show-run.ts';
import { writeHtml } from '#evals/report/html.ts';
import { writeJson } from '#evals/report/json.ts';
import type { Report } from '#evals/report/report.ts';
import { writeMarkdown } from '#evals/report/text.ts';
import { component, extending, nullable, object } from '../schemas/object.ts';
import { RunDetail, showRunDetail } from '../suites/run-model.ts';

export const EvalRunDetail = component(
  'EvalJobDetail',
  extending(RunDetail, {
    scorecard: nullable(
      object(
        {
          score_md: Type.String(),
          score_html: Type.String(),
          score_json: Type.Record(Type.String(), Type.Unknown()),
        },
        { description: 'The report of the run in three formats. Null until it has completed.' },
      ),
    ),
  }),
);

/** @param report null if no scorecard is to be shown */
export async function showEvalRunDetail(
  shown: ShownRun,
  report: Report | null,
): Promise<Static<typeof EvalRunDetail>> {
  const detail = showRunDetail(shown);
  return {
    ...detail,
    scorecard: report === null ? null : await showScorecard(report),
    cases: detail.cases ?? [],
    cases_pruned_at: shown.run.itemsPrunedAt?.toISOString() ?? null,
  };
}

async function showScorecard(report: Report) {
  return {
    score_md: await textOf(writeMarkdown(report)),
    score_html: await textOf(writeHtml(report)),
    // What `writeJson` writes is an object.
    score_json: JSON.parse(await textOf(writeJson(report))) as Record<string, unknown>,
  };
}

async function textOf(parts: AsyncGenerator<string>): Promise<string> {
  return (await Array.fromAsync(parts)).join('');
}
