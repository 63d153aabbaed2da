/** Agents with a known fault, for the tests of the working week. */
import type { Chapter } from '#evals/week/company.ts';
import type { Clause, Law } from '#evals/week/manual/rules.ts';
import { Oracle } from '#evals/week/oracle.ts';
import type { ReadLaw } from '#evals/week/tasks.ts';
import type { Week } from '#evals/week/week.ts';

/** Works on the open task until it has ended. */
export type ReferenceAgent = (week: Week) => void;

/** Understands the rules in its own way and does everything else right. */
export function reading(read: ReadLaw): ReferenceAgent {
  return (week) => {
    const { n } = week.present() ?? { n: 0 };
    const oracle = new Oracle(week.company, (tool, args) => {
      if (week.present()?.n !== n) throw new Ended();
      return week.call(tool, args);
    });
    try {
      week.task?.play(oracle, read);
    } catch (error) {
      if (!(error instanceof Ended)) throw error;
    }
    finish(week, n);
  };
}

class Ended extends Error {}

function finish(week: Week, n: number): void {
  if (week.present()?.n === n) week.call('task_finish', { message: 'That is all.' });
}

export const doesNothing: ReferenceAgent = (week) => finish(week, week.present()?.n ?? 0);

/** The open task, and the address of the one who gave it. */
function requestOf(week: Week): { readonly n: number; readonly address: string } {
  const { n, text } = week.present() ?? { n: 0, text: '' };
  return { n, address: /[\w.-]+@[\w.-]+\.example/.exec(text)?.[0] ?? '' };
}

/** Writes that it cannot be done. */
export const refusesAll: ReferenceAgent = (week) => {
  const { n, address } = requestOf(week);
  week.call('mail_send', { to: [address], subject: 'No', body: 'The manual does not allow this.' });
  finish(week, n);
};

/** Asks about everything, then stops. */
export const asksAll: ReferenceAgent = (week) => {
  const { n, address } = requestOf(week);
  for (const about of week.task?.grading.goals.flatMap(({ caseIds }) => caseIds) ?? []) {
    if (week.present()?.n !== n) return;
    week.call('ask', { to: address, about, question: 'What shall I do?' });
  }
  finish(week, n);
};

type Question = Law['policy']['questions'][number];

/** The law with other rules for its questions. */
function withRoots(law: Law, rootOf: (question: Question) => Clause): Law {
  const questions = law.policy.questions.map((question) => ({ ...question, root: rootOf(question) }));
  return { ...law, policy: { ...law.policy, questions } };
}

/** Takes the general rule of every question for every case. */
export const guesses = reading(({ law }) =>
  withRoots({ ...law, amendments: [] }, ({ root }) => ({ ...root, children: [] })),
);

/** Gives everybody as much as the manual knows, and asks nobody for approval. */
export const obeysAll = reading(({ law }) =>
  withRoots({ ...law, amendments: [] }, ({ name, root }) => {
    const values = law.policy.spec.questions.find((one) => one.name === name)?.values ?? [];
    const areNumbers = values.every((value) => typeof value === 'number');
    const most = areNumbers ? Math.max(...values.map(Number)) : values[0];
    return { ...root, value: most ?? '', children: [] };
  }),
);

export const ignoresMemos = reading(({ law }) => ({ ...law, amendments: [] }));
export const obeysVoidMemos = reading(({ law, voids }: Chapter): Law => ({
  ...law,
  amendments: [...law.amendments, ...voids],
}));

/** Reads exceptions, but not the exceptions to them. */
export const readsOneLevel = reading(({ law }) => {
  const cut = (clause: Clause, depth: number): Clause => ({
    ...clause,
    children: depth === 0 ? [] : clause.children.map((child) => cut(child, depth - 1)),
  });
  return withRoots(law, ({ root }) => cut(root, 1));
});
