/** What the place does with replies: it grades them. It regenerates each task, because tasks are never stored. */
import { DomainError, type ErrorCode, type ErrorExtras } from '../../errors.ts';
import { categories, publicKinds } from '#evals/suite/index.ts';
import { loadPacks } from '#evals/suite/packs/load-packs.ts';
import { type EvalPacks, findPack, noPacks, type Pack } from '#evals/suite/packs/pack.ts';
import type { CaseGrade } from '#evals/own-suite/grade-reply.ts';
import type { TaskGrade } from '#evals/suite/task.ts';
import { type PractisedReply, practise, type PractiseInput } from './practise.ts';
import { planCases } from '../products/eval-run/plan-cases.ts';
import { type AskedCase, gradeOwnReply, gradeTurns, type OwnCaseReply } from './graders.ts';

export type GradingTask =
  /** @see EVAL_PACKS_DIR for the folder */
  | ({ readonly kind: 'case'; readonly packsFolder: string } & AskedCase)
  | { readonly kind: 'own_case'; readonly asked: OwnCaseReply }
  | { readonly kind: 'practice'; readonly input: PractiseInput };

export type Graded =
  /** Null while the case has further turns. */
  | { readonly kind: 'case'; readonly grade: TaskGrade | null }
  | { readonly kind: 'own_case'; readonly graded: CaseGrade }
  | { readonly kind: 'practice'; readonly practised: PractisedReply }
  /** The process does not have the run's pack. */
  | { readonly kind: 'pack_gone' }
  | {
      readonly kind: 'refused';
      readonly code: ErrorCode;
      readonly message: string;
      readonly extras: ErrorExtras;
    };

let packs: Promise<EvalPacks> | null = null;

/** A pack that has become invalid since the hub started counts as missing. */
function packsIn(folder: string): Promise<EvalPacks> {
  packs ??= loadPacks(folder, publicKinds).catch(() => noPacks);
  return packs;
}

/** Loads what the grading needs. @returns the grading, which takes time that depends on the reply */
export async function prepareGrading(task: GradingTask): Promise<() => Graded | Promise<Graded>> {
  switch (task.kind) {
    case 'case': {
      const { packHash } = task.key;
      const pack = packHash === null ? null : findPack(await packsIn(task.packsFolder), packHash);
      return () => (packHash !== null && pack === null ? { kind: 'pack_gone' } : gradeCase(task, pack));
    }
    case 'own_case':
      return async () => ({ kind: 'own_case', graded: await gradeOwnReply(task.asked) });
    case 'practice':
      return () => gradePractice(task.input);
  }
}

function gradeCase({ key, planned, replies }: AskedCase, pack: Pack | null): Graded {
  const plan = planCases({ categories, pack }, { ...key, id: key.runId, mode: 'pull', levels: null });
  return { kind: 'case', grade: gradeTurns(plan.taskOf(planned), replies) };
}

function gradePractice(input: PractiseInput): Graded {
  try {
    return { kind: 'practice', practised: practise(input) };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const { code, message, extras } = error;
    return { kind: 'refused', code, message, extras };
  }
}
