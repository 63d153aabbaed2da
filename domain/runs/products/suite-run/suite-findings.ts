/** What is wrong with an agent, as the replies in a run of a suite show it. */
import type { Finding } from '#evals/own-suite/shown-run.ts';
import { findCauses } from '#evals/findings/find-causes.ts';
import type { Observation } from '#evals/findings/observation.ts';
import type { StoredTrial } from '#evals/own-suite/stored-trial.ts';
import { notJudged } from '#evals/stored-item.ts';
import { begin, type Scene } from '#evals/worlds/world.ts';
import { observe } from '../../cases/trials.ts';
import type { JudgedSuite } from '../../run-plan.ts';

/** A run may have 16,000 replies. The first ones show what is wrong, and they are in memory together. */
export const findingTrialsMax = 1_000;

/**
 * The rules read texts, so cases with tools or turns are left out.
 * @param isOpen whether the agent may read what the suite expects: a reply that passes would show it
 */
export function findingsOfSuite(
  { caseOf, present }: Pick<JudgedSuite, 'caseOf' | 'present'>,
  trials: readonly StoredTrial[],
  isOpen: boolean,
): readonly Finding[] {
  const seen = trials.flatMap((trial): Observation[] => {
    const { index, status, attempts } = trial;
    const suiteCase = caseOf(trial.case_id);
    const hasVerdict = status !== 'ungraded' && trial.error_code !== notJudged;
    if (suiteCase === undefined || index >= findingTrialsMax || !hasVerdict || attempts === 0) return [];
    const scene = present(suiteCase);
    if (scene.world.tools.length > 0 || suiteCase.turns !== undefined) return [];
    const seen = observe(trial, { part: null, topic: suiteCase.tags?.[0] ?? null, sent: sentIn(scene) });
    return [isOpen ? seen : { ...seen, undone: [] }];
  });
  return findCauses(seen);
}

function sentIn(scene: Scene): Observation['sent'] {
  const { messages, characters } = begin(scene);
  return {
    characters,
    prompt: messages.at(-1)?.content ?? '',
    turns: messages.filter(({ role }) => role === 'user').length,
    atOnce: false,
  };
}
