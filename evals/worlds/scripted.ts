/**
 * A world of tools that return what its author wrote, and of a user who says the next thing when the agent has replied
 * without a call.
 */
import { isSameValue, writeExactJson } from '../own-suite/exact-json.ts';
import type { PlacedImage } from '../own-suite/images.ts';
import { type Step, type Tool, type ToolCall, type Turn, turnsWorld, type World } from './world.ts';

/** What a tool returns to calls that have these arguments, perhaps among others. The first rule that fits counts. */
export interface ReturnRule {
  readonly when?: object;
  /** How many calls the rule is for; all by default. */
  readonly times?: number;
  readonly return?: unknown;
  /** Instead of `return`: what went wrong. */
  readonly error?: string;
}

export interface ScriptedTool extends Tool {
  /** Without it, a call of the tool ends the conversation. A constant may be a text or an object. */
  readonly returns?: string | object | readonly ReturnRule[] | undefined;
}

interface Script {
  /** What the user says, one after the other. */
  readonly turns: readonly string[];
  /** Of the first of them. */
  readonly images?: readonly PlacedImage[] | undefined;
  readonly tools: readonly ScriptedTool[];
  /** Replies of the agent to each message of the user. */
  readonly maxSteps: number;
}

interface ScriptState {
  readonly turn: number;
  /** Since the last message of the user. */
  readonly steps: number;
  /** How often each rule was used, by tool and place. */
  readonly used: Readonly<Record<string, number>>;
}

export function scriptedWorld({ turns, images, tools: scripted, maxSteps }: Script): World<unknown> {
  const tools = scripted.map(({ name, description, parameters }) => ({ name, description, parameters }));
  return scripted.some(({ returns }) => returns !== undefined)
    ? returningWorld({ turns, images, tools: scripted, maxSteps }, tools)
    : turnsWorld(turns, tools, images);
}

function returningWorld(
  { turns, images, tools, maxSteps }: Script,
  offered: readonly Tool[],
): World<ScriptState> {
  const returnsOf = new Map(tools.map(({ name, returns }) => [name, returns]));
  const ends = ({ name }: ToolCall) => returnsOf.has(name) && returnsOf.get(name) === undefined;
  const spoken = turnsWorld(turns, offered, images);
  const inTurn = ({ state: turn, ...rest }: Turn<number>, used: ScriptState['used']) => ({
    ...rest,
    state: { turn, steps: 0, used },
  });
  const next = (before: ScriptState, step: Step): Turn<ScriptState> => {
    const { calls } = step;
    if (calls.length === 0 || calls.some(ends)) return inTurn(spoken.next(before.turn, step), before.used);
    const steps = before.steps + 1;
    let { used } = before;
    const results = calls.map((call) => {
      const made = resultOf(call, returnsOf, used);
      ({ used } = made);
      return { role: 'tool', id: call.id, content: made.content } as const;
    });
    return { state: { ...before, steps, used }, messages: results, done: steps >= maxSteps };
  };
  return {
    tools: offered,
    start: () => inTurn(spoken.start(), {}),
    next,
  };
}

function resultOf(
  { name, arguments: given }: ToolCall,
  returnsOf: ReadonlyMap<string, ScriptedTool['returns']>,
  used: ScriptState['used'],
): { readonly content: string; readonly used: ScriptState['used'] } {
  const returns = returnsOf.get(name);
  if (returns === undefined) {
    const names = [...returnsOf.keys()].join(', ');
    return { content: problem(`There is no tool ${name}. The tools are ${names}.`), used };
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return { content: problem('The arguments must be a JSON object.'), used };
  if (!isRules(returns)) return { content: textOf(returns), used };
  const place = returns.findIndex(
    ({ when = {}, times = Infinity }, at) => has(given, when) && (used[`${name} ${at}`] ?? 0) < times,
  );
  const rule = returns[place];
  if (rule === undefined) return { content: problem('Nothing is known for these arguments.'), used };
  const key = `${name} ${place}`;
  return {
    content: rule.error === undefined ? textOf(rule.return) : problem(rule.error),
    used: { ...used, [key]: (used[key] ?? 0) + 1 },
  };
}

function isRules(returns: NonNullable<ScriptedTool['returns']>): returns is readonly ReturnRule[] {
  return Array.isArray(returns);
}

function has(given: object, wanted: object): boolean {
  return Object.entries(wanted).every(
    ([field, value]) => Object.hasOwn(given, field) && isSameValue(Reflect.get(given, field), value),
  );
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : writeExactJson(value ?? null);
}

function problem(error: string): string {
  return JSON.stringify({ error });
}
