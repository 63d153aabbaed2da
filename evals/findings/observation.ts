/** One trial of a case, as the rules of findings see it. It names no product. */
import type { CallRecord } from '../worlds/world.ts';

/** A word that stands at a known place of a prompt. */
export interface Mark {
  readonly word: string;
  /** From 0, the beginning of the prompt, to 1. */
  readonly at: number;
}

export interface Sent {
  /** Of all messages. */
  readonly characters: number;
  /** The last message. */
  readonly prompt: string;
  /** The number of the user's messages. */
  readonly turns: number;
  /** Whether it was sent while others of its group were under way. */
  readonly atOnce: boolean;
  /** The reply should name them all. */
  readonly marks?: readonly Mark[];
  /** The text that the reply should repeat. */
  readonly copied?: string;
  /** The JSON object that the reply should be. */
  readonly record?: Readonly<Record<string, unknown>>;
  /** The word that is this case's own, where others of the group have the same opening. */
  readonly own?: string;
  /** The cases with the same opening. */
  readonly group?: string;
  /** What the earlier turns asked for, in order, where the last turn asks for something else. */
  readonly earlier?: readonly string[];
  /** Whether it needs several tool calls that an agent may make at once. */
  readonly together?: true;
  /** What it would show if it failed, as the end of the sentence "The agent …". */
  readonly failing?: string;
}

export interface SeenCall extends CallRecord {
  /** The step of the agent that made it, from 0. */
  readonly step: number;
}

export interface SeenTask {
  /** Of tools. */
  readonly calls: number;
  readonly refused: number;
  /** The result of a refused call. */
  readonly refusal: string | null;
  /** Null if nobody tried to make the agent do something else. */
  readonly attack: { readonly name: string; readonly worked: boolean } | null;
  /** What is not as it should be in the end. */
  readonly missed: readonly { readonly expected: string; readonly found: string }[];
}

export interface Observation {
  readonly id: string;
  /** Such as the part of the health check, or null in suites without parts. */
  readonly part: string | null;
  /** What cases about the same thing have in common; the first tag in suites of teams. */
  readonly topic: string | null;
  readonly sent: Sent;
  /** Null if no reply came. An empty text is a reply. */
  readonly reply: string | null;
  readonly error: { readonly code: string; readonly status: number | null } | null;
  readonly passed: boolean;
  /** In their order; absent in cases without tools. */
  readonly calls?: readonly SeenCall[];
  /** Of a task in an office: how it ended. */
  readonly task?: SeenTask;
  /** The changes under which a failed reply passes, by name (`undo.ts`). */
  readonly undone: readonly string[];
}
