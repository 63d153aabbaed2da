import type { RunRow } from '#db/schema/run-tables.ts';
import { tasksOf } from '../tasks-of.ts';
import type { MarkdownDetail } from '#evals/suite/scorecard/render-markdown.ts';
import type { AgentRunCard } from './make-card.ts';
import { renderHtml } from './render-html.ts';
import { renderMarkdown } from './render-markdown.ts';

/** Renders the scorecard of a completed run for people. */
export function renderAgentRunCard(
  run: RunRow,
  card: AgentRunCard,
  format: 'html' | 'md',
  detail: MarkdownDetail = 'summary',
): string {
  switch (format) {
    case 'html':
      return renderHtml(run, card, tasksOf(run));
    case 'md':
      return renderMarkdown(run, card, detail);
  }
}
