/** Applies the verdict of a judge of the runner to a trial, and to the figures of its run. */
import type { JudgedFigures, RunnerVerdict } from '#evals/own-suite/shown-run.ts';
import { isDeepStrictEqual } from 'node:util';
import { gradeOfBounds } from '#evals/own-suite/grade-reply.ts';
import { anyShare, type Bounds } from '#evals/own-suite/graders/grader.ts';
import { isSplit, judgePromptVersion, judgesOfCase, shareOfVotes } from '#evals/own-suite/judges.ts';
import type { StoredTrial } from '#evals/own-suite/stored-trial.ts';
import { notJudged } from '#evals/stored-item.ts';
import type { Judge, SuiteCase } from '#evals/own-suite/document.ts';
import { waitsForJudges } from '../cases/trials.ts';
import type { JudgedSuite } from '../run-plan.ts';

export const foundCharacters = 1_000;

export function withVerdict(
  trial: StoredTrial,
  suiteCase: SuiteCase,
  judge: Judge,
  verdict: RunnerVerdict,
): StoredTrial {
  const { grader: at, votes } = verdict;
  const given = shareOfVotes(judge, votes);
  const isTurned = suiteCase.expect[at]?.['not'] === true;
  const share = isTurned ? 1 - given : given;
  const shares = (trial.judging?.shares ?? []).map((known, place) => (place === at ? share : known));
  const accepting = votes.filter((vote) => vote.share >= 1).length;
  const said = votes.map(({ explanation }) => explanation).find((text) => text !== '') ?? '';
  const counted = votes.length === 1 ? '' : `${accepting} of ${votes.length} votes accept it. `;
  const { rubric = judge.title ?? `${judge.command} accepts the reply` } = judge;
  const graders = trial.graders.map((one, place) =>
    place === at
      ? {
          ...one,
          passed: share >= 1,
          expected: `${isTurned ? 'not ' : ''}${rubric}`.slice(0, foundCharacters).toWellFormed(),
          found: `${counted}${said}`.slice(0, foundCharacters).toWellFormed() || `share ${given}`,
        }
      : one,
  );
  const { error_message: _why, judging, ...rest } = trial;
  const heard = { ...rest, graders, judged: [...(trial.judged ?? []), verdict] };
  const bounds = shares.map((one): Bounds => (one === null ? anyShare : [one, one]));
  const { passed, share: score } = gradeOfBounds(suiteCase, bounds);
  return {
    ...heard,
    ...(shares.includes(null) ? { judging: { shares, tries: judging?.tries ?? [] } } : {}),
    status: passed === null ? 'error' : passed ? 'passed' : 'failed',
    score,
    error_code: passed === null ? notJudged : null,
  };
}

export function addFigures(
  judged: JudgedFigures,
  verdicts: readonly { readonly trial: StoredTrial; readonly verdict: RunnerVerdict }[],
): JudgedFigures {
  const figures = new Map(judged.judges.map((one) => [one.judge, one]));
  for (const { trial, verdict } of verdicts) {
    const { judge, model, votes } = verdict;
    const known: JudgedFigures['judges'][number] = figures.get(judge) ?? {
      judge,
      models: [],
      replies: 0,
      split: [],
      splits: 0,
    };
    const split = isSplit(votes);
    figures.set(judge, {
      judge,
      models: model === null || known.models.includes(model) ? known.models : [...known.models, model],
      replies: known.replies + 1,
      split: split && !known.split.includes(trial.case_id) ? [...known.split, trial.case_id] : known.split,
      splits: known.splits + Number(split),
    });
  }
  return { ...judged, judges: [...figures.values()] };
}

/**
 * A reply that is graded again, with the verdicts on it that judges would give now: those of judges with the same rubric.
 * The others are still to be asked. So are programs, also those in place of a model, because the hub does not see how they
 * change.
 */
export function keepVerdicts(
  trial: StoredTrial,
  earlier: Pick<StoredTrial, 'judged'>,
  suiteCase: SuiteCase,
  judges: Record<'before' | 'now', JudgedSuite['judges']>,
): StoredTrial {
  if (!waitsForJudges(trial)) return trial;
  let kept = trial;
  const asked = judgesOfCase(suiteCase);
  for (const [grader, name] of asked) {
    const judge = judges.now[name];
    // Of this grader, or of one that has another place now.
    const own = earlier.judged?.filter((one) => one.judge === name) ?? [];
    const verdict =
      own.find((one) => one.grader === grader) ?? own.find((one) => asked.get(one.grader) !== name);
    if (judge === undefined || verdict?.prompt !== judgePromptVersion) continue;
    if (!isDeepStrictEqual(judges.before[name], judge)) continue;
    kept = withVerdict(kept, suiteCase, judge, { ...verdict, grader });
  }
  return kept;
}
