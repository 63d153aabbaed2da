/**
 * Tasks with the calls that agents made in them, and what they were graded. `kept-tasks.jsonl` has one task a line; large
 * language models made the calls of the first six, a reader that ignores amendments those of the others.
 */
import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sizes } from '#evals/week/dials.ts';
import type { TaskVerdict } from '#evals/week/grade.ts';
import { nextWorld, weekAfter } from '#evals/week/office-world.ts';
import { makeWeek } from '#evals/week/week.ts';
import { replay } from '#evals/worlds/world.ts';

interface KeptTask {
  readonly seed: string;
  /** In its week. */
  readonly tasks: number;
  readonly n: number;
  /** From 1. */
  readonly size: number;
  /** A call without a name is of a tool that the office no longer has. It takes time like any other. */
  readonly calls: readonly (readonly [tool: string, args?: unknown])[];
  readonly verdict: Pick<TaskVerdict, 'passed' | 'decisions' | 'finished' | 'attack'> & {
    readonly missed: string[];
  };
}

const lines = readFileSync(join(import.meta.dirname, 'kept-tasks.jsonl'), 'utf8')
  .trimEnd()
  .split('\n');
const kept = lines.map((line) => JSON.parse(line) as KeptTask);

test.each([...Map.groupBy(kept, ({ seed }) => seed)])(
  'the tasks of the week %s are graded as before',
  (seed, own) => {
    // Budgets follow the reference, which has become quicker; where one ran out, the calls end.
    const dials = own.map(({ size }) => ({ ...sizes[size - 1]!, budget: 20 }));
    let week = makeWeek(seed, { tasks: own[0]?.tasks ?? 0, sizes: dials });
    for (const { calls } of own) {
      const steps = calls.map(([name, args = {}]) => {
        return { text: null, calls: [{ id: '', name, arguments: args }] };
      });
      week = weekAfter(replay(nextWorld(week), steps).state);
    }
    const graded = week.verdicts.map(({ missed, decisions, finished, attack }) => {
      const told = missed.map(({ what, done }) => `${what}: ${done}`);
      return { passed: told.length === 0, decisions, finished, attack, missed: told };
    });
    expect(graded).toEqual(own.map(({ verdict }) => verdict));
  },
);
