/** Agents with a known fault, for the tests of the working week. */
import type { Chapter } from '#evals/week/company.ts';
import type { Clause, Law } from '#evals/week/manual/rules.ts';
import { Oracle } from '#evals/week/oracle.ts';
import type { ReadLaw } from '#evals/week/tasks.ts';
import type { Random } from '#evals/suite/random.ts';
import type { ToolResult } from '#evals/week/tools/tool.ts';
import type { Week } from '#evals/week/week.ts';
import type { Row } from '#evals/week/world.ts';

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

/** Writes to everybody that it cannot be done. */
export const refusesAll: ReferenceAgent = (week) => {
  const { n, text: request } = week.present() ?? { n: 0, text: '' };
  const address = /[\w.-]+@[\w.-]+\.example/.exec(request)?.[0] ?? '';
  week.call('mail_send', { to: [address], subject: 'No', body: 'The manual does not allow this.' });
  finish(week, n);
};

/** Asks the one who gave the task about everything, then stops. */
export const asksAll: ReferenceAgent = (week) => {
  const { n, text: request } = week.present() ?? { n: 0, text: '' };
  const address = /[\w.-]+@[\w.-]+\.example/.exec(request)?.[0] ?? '';
  for (const { caseIds } of week.task?.grading.goals ?? []) {
    for (const id of caseIds) {
      if (week.present()?.n !== n) return;
      week.call('ask', { to: address, about: id, question: 'What shall I do?' });
    }
  }
  finish(week, n);
};

/** Takes the general rule of every question for every case. */
export const guesses = reading(({ law }) => ({
  amendments: [],
  policy: {
    ...law.policy,
    questions: law.policy.questions.map((question) => ({
      ...question,
      root: { ...question.root, children: [] },
    })),
  },
}));

/** Gives everybody as much as the manual knows, and asks nobody for approval. */
export const obeysAll = reading(({ law }) => ({
  amendments: [],
  policy: {
    ...law.policy,
    questions: law.policy.questions.map((question) => {
      const values = law.policy.spec.questions.find(({ name }) => name === question.name)?.values ?? [];
      const most = values.every((value) => typeof value === 'number')
        ? Math.max(...values.map(Number))
        : values[0];
      return { ...question, root: { ...question.root, value: most ?? '', children: [] } };
    }),
  },
}));

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
  const questions = law.policy.questions.map((question) => ({ ...question, root: cut(question.root, 1) }));
  return { ...law, policy: { ...law.policy, questions } };
});

/** Understands everything, and forgets each decision with this chance. */
export function forgetting(chance: number, random: Random): ReferenceAgent {
  const forgotten = new Set<string>();
  const remembered = new Set<string>();
  const isForgotten = (id: string): boolean => {
    if (!forgotten.has(id) && !remembered.has(id)) (random.chance(chance) ? forgotten : remembered).add(id);
    return forgotten.has(id);
  };
  return (week) => {
    const { n } = week.present() ?? { n: 0 };
    const oracle = new Oracle(week.company, (tool, args) => {
      if (week.present()?.n !== n) throw new Ended();
      // A forgotten order is placed empty.
      if (tool === 'store_order' && random.chance(chance))
        return week.call(tool, { ...(args as Row), packs: [] });
      const { items } = args as { readonly items?: readonly Row[] };
      if (items === undefined || tool === 'ledger_approval_request') return week.call(tool, args);
      const idOf = (item: Row) => String(item['entry_id'] ?? item['ticket_id'] ?? item['meeting_id']);
      const kept = items.filter((item) => !isForgotten(idOf(item)));
      const left = items.filter((item) => !kept.includes(item));
      const result: ToolResult = kept.length === 0 ? {} : week.call(tool, { items: kept });
      if (result['error'] !== undefined) return result;
      // The results of a batch are objects.
      const results = (result['results'] ?? []) as readonly object[];
      return { ...result, results: [...results, ...left.map((item) => ({ ...item, status: 'done' }))] };
    });
    try {
      week.task?.play(oracle);
    } catch (error) {
      if (!(error instanceof Ended)) throw error;
    }
    finish(week, n);
  };
}
