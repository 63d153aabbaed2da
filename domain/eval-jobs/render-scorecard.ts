/** A run's scorecard in all its forms. They are rendered on request. */
import { categories } from '#evals/suite/index.ts';
import { renderHtml } from '#evals/suite/scorecard/render-html.ts';
import { type MarkdownDetail, renderMarkdown } from '#evals/suite/scorecard/render-markdown.ts';
import { isScoreJson } from '#evals/suite/scorecard/score-json-schema.ts';
import type { ShownCase } from '#evals/suite/scorecard/shown-case.ts';

export interface EvalScorecard {
  readonly scoreJson: Record<string, unknown>;
  markdown(detail: MarkdownDetail): string;
  html(): string;
}

type StoredScorecard = Pick<EvalScorecard, 'scoreJson'>;

const descriptions = new Map(categories.map(({ name, description }) => [name, description]));

export function renderScorecard(stored: StoredScorecard, cases: readonly ShownCase[]): EvalScorecard {
  const { scoreJson } = stored;
  if (!isScoreJson(scoreJson)) return { scoreJson, markdown: () => '', html: () => '' };
  return {
    scoreJson,
    markdown: (detail) => renderMarkdown(scoreJson, cases, detail),
    html: () => renderHtml(scoreJson, cases, descriptions),
  };
}
