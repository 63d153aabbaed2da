/**
 * The other side of a conversation: what comes of each step of an agent. A world is a pure function of its start and
 * the steps, so any process can go on from the steps that are stored.
 */
import { isDeepStrictEqual } from 'node:util';
import type { PlacedImage } from '../own-suite/images.ts';

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

/** What an agent says at once: a text, tool calls, or both. */
export interface Step {
  readonly text: string | null;
  readonly calls: readonly ToolCall[];
}

/** An image of a message, with its bytes where the message is sent. */
export interface SentImage extends PlacedImage {
  readonly base64?: string;
}

interface UserMessage {
  readonly role: 'user';
  readonly content: string;
  readonly images?: readonly SentImage[];
}

export type WorldMessage =
  | UserMessage
  | { readonly role: 'tool'; readonly id: string; readonly content: string };

/** What an agent has said: in a step, or before the conversation as a case has it. */
interface AgentMessage {
  readonly role: 'assistant';
  readonly content: string;
  readonly calls?: readonly ToolCall[];
}

export type ConversationMessage = WorldMessage | AgentMessage;

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
  start(): Turn<State>;
  next(state: State, step: Step): Turn<State>;
}

/** No world may need more. They bound what a conversation takes of the store, of the network and of time. */
const stepsMax = 200;
export const callsPerStepMax = 64;
const conversationCharactersMax = 1_000_000;
/** Of the texts and calls of the agent, over all steps: each stores those before it again. */
const storedCharactersMax = 10_000_000;

/** What an agent is put into. */
export interface Scene {
  readonly system: string | null;
  /** What was said before the world starts, as the case has it. */
  readonly earlier?: readonly ConversationMessage[];
  /** The time for each reply that the suite of the case allows, if it says. */
  readonly timeoutSeconds?: number;
  readonly world: World<unknown>;
}

interface Conversation {
  /** Of the world after the last step. */
  readonly turn: Turn<unknown>;
  readonly steps: readonly Step[];
  /** All so far, the steps included. */
  readonly messages: readonly ConversationMessage[];
  readonly characters: number;
  /** Of the agent. */
  readonly saidCharacters: number;
  /** Of the agent, over all steps. */
  readonly storedCharacters: number;
  /** Whether the world has ended it, or it has reached a bound. */
  readonly done: boolean;
}

export function begin({ earlier = [], world }: Scene): Conversation {
  const turn = world.start();
  const messages = [...earlier, ...turn.messages];
  const characters = charactersOf(messages);
  return { turn, steps: [], messages, characters, saidCharacters: 0, storedCharacters: 0, done: turn.done };
}

/** The newest conversation with each world, so that a step of a long one does not replay all steps before it. */
const newest = new WeakMap<World<unknown>, Conversation>();

/** Not for a conversation that is done. */
export function goOn({ world }: Scene, before: Conversation, step: Step): Conversation {
  const turn = world.next(before.turn.state, step);
  const { text, calls } = step;
  const said: AgentMessage = {
    role: 'assistant',
    content: text ?? '',
    ...(calls.length === 0 ? {} : { calls }),
  };
  const added = [said, ...turn.messages];
  const steps = [...before.steps, step];
  const characters = before.characters + charactersOf(added);
  const saidCharacters = before.saidCharacters + charactersOf([said]);
  const storedCharacters = before.storedCharacters + saidCharacters;
  const isLong = characters >= conversationCharactersMax || storedCharacters >= storedCharactersMax;
  const done = turn.done || steps.length >= stepsMax || isLong;
  const messages = [...before.messages, ...added];
  const after = { turn, steps, messages, characters, saidCharacters, storedCharacters, done };
  newest.set(world, after);
  return after;
}

/** Where a conversation stands after the steps so far. */
export function converse(scene: Scene, steps: readonly Step[]): Conversation {
  const known = newest.get(scene.world);
  let conversation = known !== undefined && isBeginning(known.steps, steps) ? known : begin(scene);
  for (const step of steps.slice(conversation.steps.length))
    if (!conversation.done) conversation = goOn(scene, conversation, step);
  return conversation;
}

function isBeginning(part: readonly Step[], steps: readonly Step[]): boolean {
  return part.length <= steps.length && isDeepStrictEqual(part, steps.slice(0, part.length));
}

function charactersOf(messages: readonly ConversationMessage[]): number {
  return messages.reduce((sum, message) => {
    const calls = message.role === 'assistant' ? message.calls : undefined;
    const called = calls === undefined ? 0 : JSON.stringify(calls).length;
    return sum + message.content.length + called;
  }, 0);
}

/** The steps in reply to each message of the user. */
export function stepsByTurn<State>(
  world: World<State>,
  steps: readonly Step[],
): readonly (readonly Step[])[] {
  let turn = world.start();
  const turns: Step[][] = [[]];
  for (const step of steps) {
    turns.at(-1)?.push(step);
    turn = world.next(turn.state, step);
    if (turn.messages.some(({ role }) => role === 'user')) turns.push([]);
  }
  return turns.filter((own) => own.length > 0);
}

/**
 * Steps that come to the same conversation as the stored replies to each message of the user: calls first, if they return
 * something, and then what was said.
 */
export function stepsOfReplies<State>(world: World<State>, replies: readonly Step[]): readonly Step[] {
  let turn = world.start();
  const steps: Step[] = [];
  for (const reply of replies) {
    const next = world.next(turn.state, reply);
    const isOver = next.done || next.messages.some(({ role }) => role === 'user');
    const said = { text: reply.text, calls: [] };
    steps.push(...(isOver ? [reply] : [{ ...reply, text: null }, said]));
    turn = isOver ? next : world.next(next.state, said);
  }
  return steps;
}

/** The state of a world after the steps so far. */
export function replay<State>(world: World<State>, steps: readonly Step[]): Turn<State> {
  let turn = world.start();
  for (const step of steps) if (!turn.done) turn = world.next(turn.state, step);
  return turn;
}

/**
 * The world of a case whose user says the next thing after each reply, whatever it was. Calls of its tools are a part of
 * the reply. They return nothing but that they arrived, because models do not go on from calls without a result.
 */
export function turnsWorld(
  turns: readonly string[],
  tools: readonly Tool[] = [],
  images?: readonly PlacedImage[],
): World<number> {
  const turn = (state: number, calls: readonly ToolCall[]): Turn<number> => {
    const [said] = turns.slice(state, state + 1);
    if (said === undefined) return { state, messages: [], done: true };
    const arrived =
      tools.length === 0 ? [] : calls.map(({ id }): WorldMessage => ({ role: 'tool', id, content: 'ok' }));
    const shown = state === 0 && images !== undefined ? { images } : {};
    return { state, messages: [...arrived, { role: 'user', content: said, ...shown }], done: false };
  };
  return { tools, start: () => turn(0, []), next: (state, { calls }) => turn(state + 1, calls) };
}
