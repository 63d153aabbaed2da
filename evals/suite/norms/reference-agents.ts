/** Agents that put a score into perspective: some do no work at all, others are right with a known probability. */
import type { Task } from '../task.ts';
import { type Message, templateBot } from './template-bot/template-bot.ts';

/** The share of a task's score that the agent earns on average, from 0 to 1. */
type ReferenceAgent = (task: Task) => number;

export const emptyAgent: ReferenceAgent = (task) => task.grade(task.turns.map(() => '')).score;

export const echoAgent: ReferenceAgent = (task) => task.grade(task.turns).score;

export function constantAgent(text: string): ReferenceAgent {
  return (task) => task.grade(task.turns.map(() => text)).score;
}

/** A program without a model that knows the forms of the public kinds. */
export const templateAgent: ReferenceAgent = (task) => {
  const messages: Message[] = [];
  const replies = task.turns.map((content) => {
    messages.push({ role: 'user', content });
    const reply = templateBot(messages);
    messages.push({ role: 'assistant', content: reply });
    return reply;
  });
  return task.grade(replies).score;
};

/** Right with probability `share`, otherwise one of the likely mistakes that come with the task. */
export function oracleAgent(share: number): ReferenceAgent {
  return (task) => {
    const wrong = mean(task.refused.map((replies) => task.grade(replies).score));
    const right = task.grade(task.accepted[0] ?? []).score;
    return share * right + (1 - share) * wrong;
  };
}

/** Constant replies of an agent that knows the suite but not the task. */
export const constantReplies: readonly string[] = [
  '0 1 2 3 4 5 7 10 12 100 yes no A B true false none unknown red Monday 12:00 2031-01-01'.split(' '),
  [2, 3, 4, 5, 6, 8, 10].map((count) => Array.from({ length: count }, () => 'unknown').join(', ')),
]
  .flat()
  .map((text) => `Answer: ${text}`);

export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
