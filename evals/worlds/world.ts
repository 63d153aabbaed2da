/**
 * The other side of a conversation: what comes of each step of an agent. A world is a pure function of its start and
 * the steps, so any process can go on from the steps that are stored.
 */

export interface Tool {
  readonly name: string;
  readonly description: string;
  /** A JSON Schema. */
  readonly parameters: object;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** As the agent sent them: an object, or a text that is no JSON object. */
  readonly arguments: unknown;
}

/** What an agent says at once: a text, calls of tools, or both. */
export interface Step {
  readonly text: string | null;
  readonly calls: readonly ToolCall[];
}

export type WorldMessage =
  | { readonly role: 'user'; readonly content: string }
  | { readonly role: 'tool'; readonly id: string; readonly content: string };

/** What a call came to. */
export interface CallRecord {
  readonly name: string;
  readonly arguments: unknown;
  readonly result: string;
  /** `refused`: the arguments were wrong. `failed`: the tool did not work, and a repeat may. */
  readonly outcome: 'done' | 'refused' | 'failed';
}

export interface Turn<State> {
  readonly state: State;
  /** In the order in which the agent gets them. */
  readonly messages: readonly WorldMessage[];
  readonly done: boolean;
}

export interface World<State> {
  readonly tools: readonly Tool[];
  readonly start: () => Turn<State>;
  readonly next: (state: State, step: Step) => Turn<State>;
}

/** Where a conversation stands after the steps so far. */
export function replay<State>(world: World<State>, steps: readonly Step[]): Turn<State> {
  let turn = world.start();
  for (const step of steps) if (!turn.done) turn = world.next(turn.state, step);
  return turn;
}
