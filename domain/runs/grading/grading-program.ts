/** The program of the thread that grades replies. It regenerates each task, because tasks are never stored. */
import { workerData } from 'node:worker_threads';
import { serveThread } from '#runtime/work-thread.ts';
import { DomainError, type ErrorCode, type ErrorExtras } from '../../errors.ts';
import { categories, publicKinds } from '#evals/suite/index.ts';
import { loadPacks } from '#evals/suite/packs/load-packs.ts';
import { findPack, noPacks } from '#evals/suite/packs/pack.ts';
import type { CaseGrade } from '#evals/own-suite/grade-reply.ts';
import type { TaskGrade } from '#evals/suite/task.ts';
import { type PractisedReply, practise, type PractiseInput } from './practise.ts';
import { planCases } from '../products/eval-run/plan-cases.ts';
import { type AskedCase, gradeOwnReply, gradeTurns, type OwnCaseReply } from './graders.ts';

export interface ThreadData {
  readonly packsFolder: string;
}

export type GradingTask =
  | ({ readonly kind: 'case' } & AskedCase)
  | { readonly kind: 'own_case'; readonly asked: OwnCaseReply }
  | { readonly kind: 'practice'; readonly input: PractiseInput };

export type Graded =
  /** Null while the case has further turns. */
  | { readonly kind: 'case'; readonly grade: TaskGrade | null }
  | { readonly kind: 'own_case'; readonly graded: CaseGrade }
  | { readonly kind: 'practice'; readonly practised: PractisedReply }
  /** The thread does not have the run's pack. */
  | { readonly kind: 'pack_gone' }
  | {
      readonly kind: 'refused';
      readonly code: ErrorCode;
      readonly message: string;
      readonly extras: ErrorExtras;
    };

// `createGradingThread` passes it.
const { packsFolder } = workerData as ThreadData;
// A pack that has become invalid since the process started counts as missing.
const packs = await loadPacks(packsFolder, publicKinds).catch(() => noPacks);

serveThread(async (task: GradingTask): Promise<Graded> => {
  switch (task.kind) {
    case 'case': {
      const { key, planned, replies } = task;
      const { packHash } = key;
      const pack = packHash === null ? null : findPack(packs, packHash);
      if (packHash !== null && pack === null) return { kind: 'pack_gone' };
      const plan = planCases({ categories, pack }, { ...key, id: key.runId, mode: 'pull', levels: null });
      return { kind: 'case', grade: gradeTurns(plan.taskOf(planned), replies) };
    }
    case 'own_case':
      return { kind: 'own_case', graded: await gradeOwnReply(task.asked) };
    case 'practice':
      try {
        return { kind: 'practice', practised: practise(task.input) };
      } catch (error) {
        if (!(error instanceof DomainError)) throw error;
        const { code, message, extras } = error;
        return { kind: 'refused', code, message, extras };
      }
  }
});
