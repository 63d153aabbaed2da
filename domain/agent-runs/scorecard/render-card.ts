import type { AgentRunRow } from '#db/schema/agent-run-tables.ts';
import { makeTasks } from '../../eval-world/make-tasks.ts';
import { worldVersion } from '../agent-run.ts';
import type { AgentRunCard } from './make-card.ts';
import { renderHtml } from './render-html.ts';
import { renderMarkdown } from './render-markdown.ts';

/** Renders the scorecard of a completed run for people. */
export function renderAgentRunCard(run: AgentRunRow, card: AgentRunCard, format: 'html' | 'md'): string {
  switch (format) {
    case 'html':
      // Another version would generate other tasks from the seed.
      return renderHtml(run, card, run.suiteVersion === worldVersion ? makeTasks(run.suiteSeed) : []);
    case 'md':
      return renderMarkdown(run, card);
  }
}
