/** A case of the health check: a conversation of plain requests, its graders, and what findings need to know of it. */
import type { GraderSpec } from '../own-suite/document.ts';
import type { Sent } from '../findings/observation.ts';
import type { ToolTask } from './tools/tasks.ts';
import type { Random } from '../random.ts';

/** In the order in which faults hide each other: what did not arrive cannot be judged. */
export const parts = ['delivery', 'tools', 'conduct', 'work'] as const;
export type Part = (typeof parts)[number];

export interface HealthCase {
  readonly id: string;
  readonly part: Part;
  /** What it asks about, such as `copy` or `length`. */
  readonly topic: string;
  readonly system?: string;
  /** The user's messages. Each is sent after the reply to the one before; the last reply is graded. */
  readonly turns: readonly string[];
  readonly expect: readonly GraderSpec[];
  /** Replies that prove the graders. */
  readonly accepted: readonly string[];
  readonly refused: readonly string[];
  readonly sent: Sent;
  /** The office that answers tool calls; absent in cases without tools. */
  readonly task?: ToolTask;
}

/** A case before its number and part are known. */
export type CaseDraft = Omit<HealthCase, 'id' | 'part' | 'topic' | 'sent'> & {
  readonly sent?: Partial<Sent>;
};

export interface Topic {
  readonly part: Part;
  readonly name: string;
  /** Begins the ids of its cases; the name by default. */
  readonly prefix?: string;
  /** @returns its cases, always as many of the same kinds */
  readonly write: (random: Random) => readonly CaseDraft[];
}

export function casesOf({ part, name, prefix = name, write }: Topic, random: Random): readonly HealthCase[] {
  return write(random).map((draft, at) =>
    finishCase(draft, { part, topic: name, id: `${prefix}-${at + 1}` }),
  );
}

export function finishCase(draft: CaseDraft, named: Pick<HealthCase, 'id' | 'part' | 'topic'>): HealthCase {
  const characters = draft.turns.reduce((sum, turn) => sum + turn.length, draft.system?.length ?? 0);
  const prompt = draft.turns.at(-1) ?? '';
  return {
    ...draft,
    ...named,
    sent: { characters, prompt, turns: draft.turns.length, atOnce: false, ...draft.sent },
  };
}
