/** Stores what the judges of a run have said, and decides the cases whose judges have all been heard. */
import type { RunnerVerdict } from '#evals/own-suite/shown-run.ts';
import {
  judgePromptVersion,
  judgesOfCase,
  readPrinted,
  readVote,
  type Vote,
  votesOf,
} from '#evals/own-suite/judges.ts';
import type { StoredTrial } from '#evals/own-suite/stored-trial.ts';
import { notJudged } from '#evals/stored-item.ts';
import type { Judge, SuiteCase } from '#evals/own-suite/document.ts';
import { storable } from '#evals/safe-text.ts';
import { type AgentCtx, withTransaction } from '../../context.ts';
import { DomainError } from '../../errors.ts';
import type { RunKey } from '../find-run.ts';
import { listItems } from '../store-items.ts';
import { asksJudgeOf } from '../cases/trials.ts';
import { countUnjudged, openCompleted, storeVerdicts } from './change-verdicts.ts';
import { findJudgedSuite } from './next-judgements.ts';
import { addFigures, foundCharacters, withVerdict } from './apply-verdict.ts';

/** What a judge said, each vote as its model or program wrote it; or why it said nothing. */
export interface Judgement {
  /** Of a task. */
  readonly id: string;
  readonly replies?: readonly string[] | undefined;
  readonly error?: string | undefined;
}

export interface RecordJudgementsInput extends RunKey {
  /** As the runner calls it; null for programs. */
  readonly model: string | null;
  /** Whether a program of the runner spoke for a model. The hub does not see how it changes. */
  readonly isProgram?: boolean | undefined;
  readonly judgements: readonly Judgement[];
}

export interface RecordedJudgements {
  /** Verdicts that are stored now. One that was stored before stays as it is. */
  readonly judged: number;
  /** Judgements without a verdict. They are asked for again, up to three times. */
  readonly unread: readonly { readonly id: string; readonly why: string }[];
  /** Replies that wait for judges. */
  readonly remaining: number;
}

/** Of all explanations about one reply, whatever the number of judges and votes. */
const explanationCharacters = 4_000;
const explanationCharactersMin = 100;

/**
 * A verdict is final: the same judge is heard once about a reply.
 * @throws DomainError run_not_found, run_not_completed, gone, case_not_found, invalid_body
 */
export async function recordJudgements(
  ctx: AgentCtx,
  { runId, model, isProgram: byProgram = false, judgements }: RecordJudgementsInput,
): Promise<RecordedJudgements> {
  return withTransaction(ctx, async (inner) => {
    const opened = await openCompleted(inner, { runId });
    const { run, result } = opened;
    const suite = await findJudgedSuite(inner, run);
    const wanted = judgements.map((one) => ({ ...one, ...placeOf(one.id) }));
    const items = await listItems(inner, run.id, [...new Set(wanted.map(({ index }) => index))]);
    const trials = new Map(items.map((item) => [item.index, item]));
    const changed = new Map<number, StoredTrial>();
    const verdicts: { readonly trial: StoredTrial; readonly verdict: RunnerVerdict }[] = [];
    const unread: { id: string; why: string }[] = [];
    for (const { id, index, grader, replies, error } of wanted) {
      const trial = changed.get(index) ?? trials.get(index);
      const suiteCase = trial === undefined ? undefined : suite?.caseOf(trial.case_id);
      const name = suiteCase === undefined ? undefined : judgesOfCase(suiteCase).get(grader);
      const judge = name === undefined ? undefined : suite?.judges[name];
      if (trial === undefined || suiteCase === undefined || name === undefined || judge === undefined)
        throw unknownTask(id);
      if (!asksJudgeOf(trial, grader)) continue;
      const read = readVotes(judge, { id, replies, error });
      if ('why' in read) {
        unread.push({ id, why: read.why });
        changed.set(index, withoutVerdict(trial, grader, read.why));
        continue;
      }
      const isProgram = judge.command !== undefined;
      const verdict: RunnerVerdict = {
        grader,
        judge: name,
        by: ctx.agent.handle,
        model: isProgram ? null : model,
        prompt: isProgram || byProgram ? null : judgePromptVersion,
        votes: shortened(read.votes, suiteCase),
        at: inner.clock.now().toISOString(),
      };
      const judged = withVerdict(trial, suiteCase, judge, verdict);
      changed.set(index, judged);
      verdicts.push({ trial: judged, verdict });
    }
    if (changed.size > 0) {
      const judged = addFigures(result.judged ?? { cases: [], open: 0, judges: [] }, verdicts);
      await storeVerdicts(inner, opened, [...changed.values()], { judged });
    }
    return { judged: verdicts.length, unread, remaining: await countUnjudged(inner, run.id) };
  });
}

function placeOf(id: string): { readonly index: number; readonly grader: number } {
  const [, index, grader] = /^(\d{1,5})\.(\d{1,2})$/.exec(id) ?? [];
  if (index === undefined || grader === undefined) throw unknownTask(id);
  return { index: Number(index), grader: Number(grader) };
}

function unknownTask(id: string): DomainError {
  return new DomainError('case_not_found', `No judge of this run is asked for ${JSON.stringify(id)}.`, {
    hint: 'Fetch the judgements of the run, and use the `id` of one of them.',
  });
}

/** @throws DomainError invalid_body */
function readVotes(
  judge: Judge,
  { id, replies = [], error }: Judgement,
): { readonly votes: readonly Vote[] } | { readonly why: string } {
  if (error !== undefined) return { why: storable(`The judge did not reply: ${error}`) };
  if (replies.length !== votesOf(judge)) {
    throw new DomainError(
      'invalid_body',
      `The judge of ${id} is asked ${votesOf(judge)} times, but there are ${replies.length} replies.`,
      { hint: 'Send each reply of the judge in `replies`, or why there is none in `error`.' },
    );
  }
  const votes = replies.map((reply) => (judge.command === undefined ? readVote(reply) : readPrinted(reply)));
  const known = votes.filter((vote) => vote !== null);
  if (known.length === votes.length) return { votes: known };
  return {
    why:
      judge.command === undefined
        ? 'The judge did not end with the line VERDICT: PASS or VERDICT: FAIL.'
        : 'The judge did not print {"share": 0 to 1, "explanation": "…"}.',
  };
}

function shortened(votes: readonly Vote[], suiteCase: SuiteCase): readonly Vote[] {
  const all = judgesOfCase(suiteCase).size * votes.length;
  const max = Math.max(explanationCharactersMin, Math.floor(explanationCharacters / all));
  return votes.map(({ share, explanation }) => ({ share, explanation: storable(explanation.slice(0, max)) }));
}

function withoutVerdict(trial: StoredTrial, grader: number, why: string): StoredTrial {
  const { shares = [], tries: known = [] } = trial.judging ?? {};
  const said = trial.error_code === notJudged ? { error_message: why.slice(0, foundCharacters) } : {};
  const tries = shares.map((_, at) => (known[at] ?? 0) + Number(at === grader));
  return { ...trial, ...said, judging: { shares, tries } };
}
