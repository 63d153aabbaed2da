/** Agents with a known skill. Their scores show what a score of `agent-run` stands for. */
import { createRandom, type Random } from '#evals/suite/random.ts';
import { planOf } from '#evals/office/make-tasks.ts';
import { type Session, startSession } from '#evals/office/session.ts';
import type { ToolCall } from '#evals/office/tool.ts';
import type { Task } from '#evals/office/task.ts';
import { officeTools } from '#evals/office/tools.ts';

/** Works on a task and returns the ended session. */
export type ReferenceAgent = (task: Task) => Session;

export const finishDone: ToolCall = { tool: 'finish', args: { outcome: 'done', message: 'Done.' } };
const finishRefused: ToolCall = {
  tool: 'finish',
  args: { outcome: 'refused', message: 'I cannot do this.' },
};

export function play(task: Task, calls: readonly ToolCall[]): Session {
  const session = startSession(task);
  for (const call of calls) if (!session.ended) session.call(call);
  return session;
}

export const oracle: ReferenceAgent = (task) => play(task, planOf(task));
export const lazy: ReferenceAgent = (task) => play(task, [finishDone]);
export const refuser: ReferenceAgent = (task) => play(task, [finishRefused]);

/** Follows the request, but skips the rules, the twins and the questions. */
export const careless: ReferenceAgent = (task) =>
  play(task, [...task.goals.flatMap(({ plan, carelessPlan }) => carelessPlan ?? plan), finishDone]);

/** Solves the task and obeys every instruction it meets. */
export const hijacked: ReferenceAgent = (task) => {
  const plan = planOf(task);
  return play(task, [...plan.slice(0, -1), ...(task.injection?.obey ?? []), ...plan.slice(-1)]);
};

/**
 * Makes each step of the plan with a chance of `skill`. It retries a read that it missed; a missed write stays missing.
 */
export function noisy(skill: number): ReferenceAgent {
  return (task) => {
    const random = createRandom('00', `noisy/${skill}/${task.prompt}`);
    return play(
      task,
      planOf(task).filter(({ tool }) => !isWrite(tool) || random.chance(skill)),
    );
  };
}

/** Calls any tools with any values that it has seen. */
export const randomAgent: ReferenceAgent = (task) => {
  const random = createRandom('00', `random/${task.prompt}`);
  const session = startSession(task);
  const seen = wordsOf(`${task.prompt} ${task.policy}`);
  while (!session.ended) {
    const tool = random.pick(officeTools);
    const args = Object.fromEntries(
      Object.entries(tool.parameters.properties).map(([name, schema]) => [name, draw(random, schema, seen)]),
    );
    seen.push(...wordsOf(JSON.stringify(session.call({ tool: tool.name, args }))));
  }
  return session;
};

export function isWrite(tool: string): boolean {
  return officeTools.some(({ name, writes }) => name === tool && writes);
}

/**
 * Variants of a task's plan, each with one step left out, changed or made twice. Arguments that the task leaves to the
 * agent stay as they are: the title of a meeting and the subject of a mail.
 */
export function mutantsOf(task: Task): { readonly name: string; readonly calls: readonly ToolCall[] }[] {
  const plan = planOf(task);
  const required = task.goals.flatMap((goal) => goal.required);
  const isFree = (tool: string, name: string) =>
    !required.some(
      (effect) =>
        effect.tool === tool && (name in effect.fields || (name === 'body' && effect.mentions !== undefined)),
    );
  return plan.slice(0, -1).flatMap((step, index) => {
    const before = plan.slice(0, index);
    const after = plan.slice(index + 1);
    if (!isWrite(step.tool) && step.tool !== 'ask_user') return [];
    const named = Object.entries(step.args as Record<string, unknown>).filter(
      ([name]) => !isFree(step.tool, name),
    );
    const changed = named.map(([name, value]) => ({
      name: `${step.tool} with another ${name}`,
      calls: [
        ...before,
        { tool: step.tool, args: { ...(step.args as object), [name]: otherThan(value) } },
        ...after,
      ],
    }));
    return [
      { name: `no ${step.tool}`, calls: [...before, ...after] },
      { name: `${step.tool} twice`, calls: [...before, step, step, ...after] },
      ...(step.tool === 'ask_user' ? [] : changed),
    ];
  });
}

function otherThan(value: unknown): unknown {
  if (typeof value === 'number') return value + 1;
  if (Array.isArray(value)) return value.slice(1);
  const text = String(value);
  if (/^\d{4}-\d\d-\d\d \d\d:\d\d$/.test(text)) return text.replace(/\d\d$/, '30');
  if (/\d/.test(text) && text.includes(' '))
    return text.replace(/\d(?=\D*$)/, (last) => (last === '7' ? '8' : '7'));
  return text.replace(/[\da-z](?=[^\da-z]*$)/i, (last) => (last === '7' ? '8' : '7'));
}

function wordsOf(text: string): string[] {
  return text.match(/[\w@.-]{2,}/g) ?? [];
}

function draw(random: Random, schema: unknown, seen: readonly string[]): unknown {
  const { type, enum: words, items } = schema as { type?: string; enum?: string[]; items?: unknown };
  if (words !== undefined) return random.pick(words);
  if (type === 'integer')
    return Number(seen.filter((word) => /^\d{1,4}$/.test(word)).at(random.int(0, 20)) ?? 60);
  return type === 'array' ? [draw(random, items, seen)] : random.pick(seen);
}
