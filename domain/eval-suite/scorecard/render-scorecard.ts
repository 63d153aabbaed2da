/** The three forms of a scorecard from one run. Pure: the same run gives the same bytes. */
import type { Category } from '../category.ts';
import type { RunSummary } from '../eval-case.ts';
import { generateCasesOf } from '../generate-cases.ts';
import { isSeed } from '../new-seed.ts';
import { suiteName, suiteVersion } from '../generate-cases.ts';
import { renderHtml } from './render-html.ts';
import { renderJson } from './render-json.ts';
import { renderMarkdown } from './render-markdown.ts';
import type { ScoreJson } from './score-json-schema.ts';

export interface Scorecard {
  readonly score_json: ScoreJson;
  readonly score_md: string;
  readonly score_html: string;
}

export function renderScorecardOf(categories: readonly Category[], run: RunSummary): Scorecard {
  const full = withKinds(categories, run);
  const descriptions = new Map(categories.map((category) => [category.name, category.description]));
  return {
    score_json: renderJson(full),
    score_md: renderMarkdown(full),
    score_html: renderHtml(full, descriptions),
  };
}

/**
 * Adds the kind and difficulty of each case from the seed. A run of another suite version is left as it is.
 */
function withKinds(categories: readonly Category[], run: RunSummary): RunSummary {
  if (run.suite.name !== suiteName || run.suite.version !== suiteVersion || !isSeed(run.suite.seed))
    return run;
  const cases = new Map(
    generateCasesOf(categories, run.suite.seed).map((evalCase) => [evalCase.id, evalCase]),
  );
  const results = run.results.map((result) => {
    const evalCase = cases.get(result.id);
    if (evalCase?.prompt !== result.prompt) return result;
    return { ...result, kind: evalCase.kind, difficulty: evalCase.difficulty };
  });
  return { ...run, results };
}
