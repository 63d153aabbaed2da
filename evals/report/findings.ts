/** What is wrong with the agent, as the first lines of every report for people. */
import type { Finding } from '../own-suite/shown-run.ts';
import { someOf } from '../safe-text.ts';
import type { Report } from './report.ts';

const namedMax = 8;

export interface FindingText {
  readonly sentence: string;
  /** What else is known of it, each a sentence. */
  readonly more: readonly string[];
}

/** None for suites without rules for findings. Texts of the agent go through `show`. */
export function findingTexts({ run }: Report, show: (text: string) => string): readonly FindingText[] {
  const { findings } = run;
  if (findings === null) return [];
  const texts = findings.map((finding) => textOf(finding, show));
  if (texts.length > 0) return texts;
  return [{ sentence: noFinding(run.unanswered), more: [] }];
}

/** @param unanswered trials that the run ended before */
export function noFinding(unanswered: number): string {
  return unanswered === 0
    ? 'No rule found a fault in the agent.'
    : 'No rule found a fault in the cases that were answered.';
}

function textOf(
  { sentence, look_at: lookAt, cases, change, certainty }: Finding,
  show: (text: string) => string,
) {
  return {
    sentence: show(sentence),
    more: [
      ...(certainty === 'likely' ? ['Another cause is possible.'] : []),
      ...(change === undefined ? [] : [`Sent: ${show(change.before)}. Came back: ${show(change.after)}.`]),
      lookAt,
      `Cases: ${someOf(cases, namedMax)}.`,
    ],
  };
}
