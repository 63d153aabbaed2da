import type { RunRow } from '#db/schema/run-tables.ts';
import { makeTasks } from '#evals/office/make-tasks.ts';
import type { Task } from '#evals/office/task.ts';
import { worldVersion } from '#evals/office/world-version.ts';

/** The tasks of a run, regenerated from its seed; empty if this version of the suite generates others. */
export function tasksOf({ suiteVersion, suiteSeed }: RunRow): readonly Task[] {
  return suiteVersion === worldVersion ? makeTasks(suiteSeed) : [];
}
