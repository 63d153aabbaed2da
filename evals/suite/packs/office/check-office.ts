/** Tries the office of a pack: the reference must pass every task of whole weeks, working through the tools alone. */
import type { Office } from '../../../week/office.ts';
import { makeWeek, playTask } from '../../../week/week.ts';

export interface OfficeCheck {
  readonly tasks: number;
  readonly passed: number;
  /** What was missed, as sentences; empty if the office can be used. */
  readonly faults: readonly string[];
}

const tasksInWeek = 12;
const faultsMax = 8;

/** @param seeds of the weeks, each of which takes a second or two */
export function checkOffice(office: Office, seeds: readonly string[]): OfficeCheck {
  let [tasks, passed] = [0, 0];
  const faults: string[] = [];
  for (const seed of seeds) {
    const week = makeWeek(seed, { size: 'small', tasks: tasksInWeek, office });
    try {
      while (week.present() !== null) playTask(week);
    } catch (error) {
      // The reference relies on something that it could not find.
      faults.push(`week ${seed}: ${error instanceof Error ? error.message : String(error)}`);
    }
    for (const { family, level, passed: isRight, missed } of week.verdicts) {
      tasks += 1;
      if (isRight) passed += 1;
      else
        faults.push(`${family}, level ${level}, week ${seed}: ${missed[0]?.what ?? 'nothing was missed'}.`);
    }
  }
  return { tasks, passed, faults: faults.slice(0, faultsMax) };
}
