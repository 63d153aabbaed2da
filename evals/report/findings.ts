/** What is wrong with the agent, as the first lines of every report for people. */
import type { Finding } from '../findings/observation.ts';
import type { Report } from './report.ts';

const namedMax = 8;

export interface FindingText {
  readonly sentence: string;
  /** What else is known of it, each a sentence. */
  readonly more: readonly string[];
}

/** Suites without rules for findings have only what the run did not ask. Texts of the agent go through `show`. */
export function findingTexts({ run }: Report, show: (text: string) => string): readonly FindingText[] {
  const { findings, unseen } = run;
  const unasked = unseen.map((sentence) => ({ sentence, more: [] }));
  if (findings === null) return unasked;
  const texts = findings.map((finding) => textOf(finding, show));
  const none = { sentence: 'No rule found a fault in the agent.', more: [] };
  return [...(texts.length === 0 ? [none] : texts), ...unasked];
}

function textOf(
  { sentence, look_at: lookAt, cases, change, certainty }: Finding,
  show: (text: string) => string,
) {
  const more = cases.length > namedMax ? ` and ${cases.length - namedMax} more` : '';
  return {
    sentence: show(sentence),
    more: [
      ...(certainty === 'likely' ? ['Another cause is possible.'] : []),
      ...(change === undefined ? [] : [`Sent: ${show(change.before)}. Came back: ${show(change.after)}.`]),
      lookAt,
      `Cases: ${cases.slice(0, namedMax).join(', ')}${more}.`,
    ],
  };
}
