import { describe, expect, test } from 'bun:test';
import { sizes } from '#evals/week/dials.ts';
import { clearanceOf, decideAll, findDecisive } from '#evals/week/manual/decide.ts';
import { drawFactsAt } from '#evals/week/manual/draw-facts.ts';
import { nameClause } from '#evals/week/manual/pages.ts';
import { clausesOf, pathTo } from '#evals/week/manual/rules.ts';
import { createRandom } from '#evals/random.ts';
import { makeWeek, playTask, type Week } from '#evals/week/week.ts';
import { drawSeeds } from '../draw-seeds.ts';

const weeks = drawSeeds('week manual', 4).map((seed) => makeWeek(seed, { tasks: 1, sizes: sizes.slice(-1) }));

function runsOfSeven(week: Week): Set<string> {
  const words =
    week.company.manual.pages
      .map(({ text }) => text)
      .join(' ')
      .toLowerCase()
      .match(/[\p{L}\d.]+/gu) ?? [];
  return new Set(words.slice(6).map((_, index) => words.slice(index, index + 7).join(' ')));
}

describe('a manual', () => {
  test('shares at most a third of its runs of seven words with another', () => {
    for (const [index, week] of weeks.entries()) {
      const own = runsOfSeven(week);
      const other = runsOfSeven(weeks[(index + 1) % weeks.length] ?? week);
      const shared = [...own].filter((run) => other.has(run)).length / own.size;
      expect(shared).toBeLessThan(1 / 3);
    }
  });

  test('has at least 15 % of clauses that are worded as in none of the others', () => {
    for (const week of weeks) {
      const wording = (own: Week) =>
        own.company.manual.pages.flatMap(({ text }) =>
          text.split('\n').map((line) => line.replaceAll(/\d[\d.,]*/g, '#')),
        );
      const others = new Set(weeks.filter((other) => other !== week).flatMap(wording));
      const own = wording(week);
      expect(own.filter((line) => !others.has(line)).length / own.length).toBeGreaterThan(0.15);
    }
  });

  test('leaves no word of its grammar unfilled', () => {
    for (const { company } of weeks)
      for (const { text } of company.manual.pages) expect(text).not.toMatch(/[{}]|undefined/);
  });

  test('names a clause by its number where another one applies to the same cases', () => {
    const [week] = weeks;
    const policy = week?.company.chapters.values().next().value?.law.policy;
    const [question] = policy?.questions ?? [];
    if (week === undefined || policy === undefined || question === undefined) throw new Error('No chapter.');
    const [name = '', choice] =
      Object.entries(policy.spec.attributes).find(([, { kind }]) => kind === 'choice') ?? [];
    const values = choice?.kind === 'choice' ? choice.values : [];
    const tests = values.map((value) => ({ attribute: name, op: 'is', value }) as const);
    const when = tests.slice(0, 2);
    const clause = { id: 'one', when, value: question.root.value, children: [] };
    const twin = { ...clause, id: 'two', when: when.toReversed() };
    const numbersBeside = (other: typeof clause) => {
      const among = { ...question, root: { ...question.root, children: [clause, other] } };
      const name = () => nameClause(week.company.manual.voice, policy, among, clause, '3.16', 1);
      return Array.from({ length: 40 }, name).filter((one) => one.includes('3.16')).length;
    };
    // One that applies to some of these cases has the same conditions and more.
    const nested = { ...twin, when: tests.slice(0, 3) };
    expect([numbersBeside(twin), numbersBeside(nested)]).toEqual([40, 0]);
  });

  test('has a case for each exception', () => {
    const random = createRandom('0', 'reach');
    const chapters = weeks.slice(0, 2).flatMap(({ company }) => [...company.chapters.values()]);
    for (const { policy } of chapters.map(({ law }) => law)) {
      for (const { root } of policy.questions) {
        for (const { id } of clausesOf(root)) {
          const tests = pathTo(root, id).flatMap(({ when }) => when);
          const isReached = Array.from({ length: 80 }).some(
            () => drawFactsAt(random, policy, tests) !== null,
          );
          expect([policy.spec.name, id, isReached]).toEqual([policy.spec.name, id, true]);
        }
      }
    }
  });
});

describe('the cases of a task', () => {
  test('are decided by every kind of rule of their size, most of them by several rules', () => {
    const found = new Map<number, Set<string>>();
    const counts: number[] = [];
    for (const seed of drawSeeds('week kinds', 2)) {
      const week = makeWeek(seed, { tasks: sizes.length });
      while (week.task !== null) {
        const { n, grading } = week.task;
        for (const goal of grading.goals) {
          const { law, voids } = week.company.chapters.get(goal.policy)!;
          for (const id of goal.caseIds) {
            const facts = goal.factsOf(week.office, id);
            const { kinds, clauses, terms, amendments } = findDecisive(law, facts, voids);
            found.set(n, new Set([...(found.get(n) ?? []), ...kinds]));
            if (n >= 6) counts.push(clauses.length + terms.length + amendments.length);
          }
        }
        playTask(week);
      }
    }
    for (const [at, { kinds }] of sizes.entries())
      for (const kind of kinds)
        expect([at + 1, kind, found.get(at + 1)?.has(kind)]).toEqual([at + 1, kind, true]);
    const mean = counts.reduce((sum, count) => sum + count, 0) / counts.length;
    expect(mean).toBeGreaterThan(2);
  });

  test('lie at no threshold and on no day of an amendment', () => {
    for (const week of weeks) {
      for (const goal of week.task?.grading.goals ?? []) {
        const { law, voids } = week.company.chapters.get(goal.policy)!;
        for (const id of goal.caseIds) {
          const facts = goal.factsOf(week.office, id);
          expect([id, clearanceOf(law, voids)(facts)]).toEqual([id, true]);
          expect(Object.keys(decideAll(law, facts))).toHaveLength(law.policy.questions.length);
        }
      }
    }
  });
});
