/** Grades a reply to a practice case. Practice is free, and nothing is stored. */
import { undos } from '#evals/findings/undo.ts';
import type { HealthCase } from '#evals/health/health-case.ts';
import { planHealthCheck } from '#evals/health/health-check.ts';
import type { CaseGrade } from '#evals/own-suite/grade-reply.ts';
import type { Ungraded } from '#evals/own-suite/graders/grader.ts';
import type { Claimant } from '#runtime/turns/turns.ts';
import { DomainError } from '../../errors.ts';
import { operation } from '../../operation.ts';
import { failedIfUngraded } from '../cases/trials.ts';
import type { Graders } from './grade-reply.ts';

export interface PracticeCase extends HealthCase {
  readonly caseId: string;
}

let cases: readonly PracticeCase[] | null = null;

/** The first case of each topic. Runs have other seeds, so none of them appears in one. */
export function listPracticeCases(): readonly PracticeCase[] {
  if (cases !== null) return cases;
  const check = {
    seed: 'practice',
    maxPromptTokens: 8_000,
    size: 'standard',
    tools: false,
    inARow: false,
  } as const;
  const byTopic = Map.groupBy(
    planHealthCheck(check, () => true),
    ({ topic }) => topic,
  );
  cases = [...byTopic.values()].flatMap(([first]) =>
    first === undefined ? [] : [{ ...first, caseId: `practice-${first.id}` }],
  );
  return cases;
}

export interface PractiseInput {
  readonly caseId: string;
  readonly text: string;
  /** The replies to the turns before the last one. */
  readonly earlier: readonly string[];
}

export interface PractisedReply {
  readonly grade: Exclude<CaseGrade, Ungraded>;
  /** What changed a reply that would pass without the change, in sentences. */
  readonly changes: readonly string[];
}

/** @throws DomainError case_not_found */
export function practiceCaseOf(caseId: string): PracticeCase {
  const found = listPracticeCases().find((one) => one.caseId === caseId);
  if (found !== undefined) return found;
  throw new DomainError('case_not_found', 'No practice case has this id.', {
    hint: `Use a \`case_id\` from \`practice\` in ${operation('getEvalSuite')}.`,
  });
}

/** @throws DomainError busy, case_not_found, invalid_body if a reply to a turn is missing */
export async function practise(
  graders: Graders,
  claimant: Claimant,
  { caseId, text, earlier }: PractiseInput,
): Promise<PractisedReply> {
  const { id, expect, turns } = practiceCaseOf(caseId);
  requireWhole(turns.length, earlier.length + 1);
  const { grade, undone } = await graders.grade(claimant, {
    suiteCase: { id, expect },
    reply: { text, tool_calls: [], latencyMs: null },
    findsChanges: true,
    isOfHub: true,
  });
  const changes = undos.filter(({ name }) => undone.includes(name)).map(({ sentence }) => sentence);
  return { grade: failedIfUngraded(grade), changes };
}

/** The last reply of a conversation says nothing without the others. */
function requireWhole(turns: number, replies: number): void {
  if (replies === turns) return;
  throw new DomainError(
    'invalid_body',
    turns === 1
      ? 'The case has one turn, so `messages` must hold no reply of yours.'
      : `The case has ${turns} turns: \`messages\` must hold your replies to the first ${turns - 1}, and \`text\` the last; it holds ${replies - 1}.`,
    {
      hint: 'Send your reply to each turn but the last in `messages`, as `{role: "assistant", content}`. Turns of the user may stand between them.',
    },
  );
}
