/** What programs read of a case, and the replies that they print. */
import type { EvalCase } from '../evaluate.ts';
import { describeError, hasOtherCalls, isGiven, type Reply, storable, textOf } from '../reply-fields.ts';
import type { Message } from '../serve-agent.ts';
import { withoutColours } from './printed.ts';

/** Why a program has not replied to a case. */
export class ProgramFault extends Error {
  override readonly name = 'ProgramFault';
}

/** The agent cannot reply to any further case. */
export class ProgramGone extends ProgramFault {}

/** Also if its earlier messages have calls, which a transcript cannot show. */
export function hasTools({ tools = [], messages }: EvalCase): boolean {
  return tools.length > 0 || messages.some(({ role }) => role === 'tool');
}

export function hasImages(message: Message): boolean {
  return message.role === 'user' && message.images !== undefined;
}

/** @returns null for a text */
export function readCalls(printed: string): Reply | null {
  try {
    const fields = parseLine(printed) as Readonly<Record<string, unknown>>;
    const { text, tool_calls: calls, usage, error } = fields;
    if (text != null && typeof text !== 'string') return null;
    const hasCalls = isGiven(calls);
    const isRead = hasCalls
      ? Array.isArray(calls)
      : calls !== undefined && text != null && !hasOtherCalls(fields) && !isGiven(error);
    if (!isRead) return null;
    const more = { ...(hasCalls ? { tool_calls: calls } : {}), ...(usage == null ? {} : { usage }) };
    return { text: text ?? '', ...more };
  } catch {
    return null;
  }
}

/** What a program reads of a case. */
export function lineOf(prompt: string, { case_id, step, messages, system, tools }: EvalCase): string {
  const more = { ...(system == null ? {} : { system }), ...(tools == null ? {} : { tools }) };
  return JSON.stringify({ case_id, trial: trialOf(case_id), step, prompt, messages, ...more });
}

/** A reply cannot contain NUL. */
export function cleanText(text: string): string {
  return storable(withoutColours(text));
}

/** The prompt alone, or below the instructions and the earlier turns of its case. */
export function transcriptOf(prompt: string, { system, messages }: EvalCase): string {
  const earlier = messages.slice(0, -1);
  if (system == null && earlier.length === 0) return prompt;
  const parts = [
    ...(system == null ? [] : [['system', system]]),
    ...earlier.map(({ role, content }) => [role, content]),
    ['user', prompt],
  ];
  return parts.map(([role, said]) => `[${role}]\n${said}`).join('\n\n');
}

/** With several trials, the id of a case ends with the number of the trial. */
export function trialOf(caseId: string): number {
  return Number(/\/(\d+)$/.exec(caseId)?.[1] ?? 1);
}

const noText = 'The program printed a line without `text`.';

interface ServedReply {
  readonly caseId: string;
  readonly reply: Reply | ProgramFault;
  /** Whether it has calls in a form that is not read. */
  readonly isUnread?: boolean;
}

/** @returns null for a line that is no reply; `log` for one of a log that names its case */
export function readReply(line: string): ServedReply | 'log' | null {
  const value = parseLine(line);
  if (typeof value !== 'object' || value === null) return null;
  const {
    case_id: given,
    text,
    content,
    tool_calls: calls,
    usage,
    error,
    ...others
  } = value as Record<string, unknown>;
  if (typeof given !== 'string' && typeof given !== 'number') return null;
  const caseId = String(given);
  const hasCalls = Array.isArray(calls) && calls.length > 0;
  const said = text ?? content;
  if (
    said == null &&
    !isGiven(error) &&
    !hasCalls &&
    ['level', 'severity', 'levelname'].some((name) => name in others)
  )
    return 'log';
  if (isGiven(error)) return { caseId, reply: new ProgramFault(describeError(error)) };
  const known = textOf(said);
  if (known === null && (said != null || !hasCalls)) return { caseId, reply: new ProgramFault(noText) };
  const more = { ...(hasCalls ? { tool_calls: calls } : {}), ...(usage == null ? {} : { usage }) };
  const isUnread = !hasCalls && hasOtherCalls(value as Record<string, unknown>);
  return { caseId, reply: { text: cleanText(known ?? ''), ...more }, isUnread };
}

/** @returns null if it is not JSON */
function parseLine(line: string): unknown {
  try {
    return JSON.parse(withAllDigits(line));
  } catch {
    return null;
  }
}

/** Integers that JavaScript would round, in the form in which the hub takes them. */
function withAllDigits(json: string): string {
  if (!/\d{16}/.test(json)) return json;
  return json.replaceAll(/"[^"\\]*(?:\\.[^"\\]*)*"|(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g, (token) =>
    token.startsWith('"') || Number.isSafeInteger(Number(token)) ? token : `{"$number":"${token}"}`,
  );
}
