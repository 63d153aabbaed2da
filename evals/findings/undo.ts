/**
 * Changes to a reply that a program can take back. A failed reply is graded again without each: where it then passes,
 * the change is what failed it.
 */
import { jsonIn } from '#runtime/json-in.ts';
import { unendedReasoning } from '../own-suite/graders/spoken.ts';

export interface Undo {
  readonly name: string;
  readonly sentence: string;
  readonly look_at: string;
  /** @returns the reply without the change, or null where there is nothing to take back */
  readonly undo: (reply: string) => string | null;
}

const jsonWriters = 'Write JSON with a JSON library instead of by hand or by a model.';
const wrappers = 'Change the system prompt, or extract the answer from the reply before you return it.';

export const undos: readonly Undo[] = [
  {
    name: 'reasoning',
    sentence: 'Replies open a block of reasoning and never close it, so nothing of them is graded.',
    look_at: 'Close the block before the answer, or ask the model server to return the reasoning separately.',
    undo: unendedReasoning,
  },
  {
    name: 'doubled',
    sentence: 'Replies come back twice in a row.',
    look_at: 'Look for a stream whose last event repeats the whole text.',
    undo: (reply) => {
      const text = reply.trim();
      const half = Math.floor(text.length / 2);
      const [first, second] = [text.slice(0, half).trim(), text.slice(half).trim()];
      return first !== '' && first === second ? first : null;
    },
  },
  {
    name: 'doubled-list',
    sentence: 'List items come back twice: the prompt may reach the model twice.',
    look_at: 'Log the messages that the model gets, and look for one that is added twice.',
    undo: (reply) => {
      const [, label = '', list = ''] = /^(ANSWER: *)(.*)$/m.exec(reply) ?? [];
      const items = list.split(', ');
      const half = items.slice(0, items.length / 2);
      return items.length > 1 && half.join() === items.slice(half.length).join()
        ? reply.replace(label + list, label + half.join(', '))
        : null;
    },
  },
  {
    name: 'html',
    sentence: 'Replies come back as HTML, with tags such as <p> and <br>.',
    look_at: 'Look for code that renders Markdown. Return the text itself.',
    undo: (reply) => {
      const text = reply
        .replaceAll(/<br *\/?>\n?/gi, '\n')
        .replaceAll(/<\/(?:p|li|h\d)>\s*<(?:p|li|h\d)>/gi, '\n\n')
        .replaceAll(/<\/?(?:p|div|span|pre|code|ul|ol|li|strong|em|b|i|a|h\d)(?: [^<>]*)?>/gi, '');
      return text === reply ? null : withoutEntities(text);
    },
  },
  {
    name: 'events',
    sentence: 'Replies are the raw events of a stream.',
    look_at: "Join the text of the stream's events before you return it.",
    undo: (reply) => {
      const events = reply
        .split('\n')
        .map((line) => line.replace(/^data: ?/, '').trim())
        .filter((line) => line !== '' && line !== '[DONE]' && !/^(?:event|id|retry): ?/.test(line))
        .map(jsonIn);
      const isStream = events.length > 1 && events.every((one) => typeof one === 'object' && one !== null);
      return isStream ? events.flatMap(textsIn).join('') : null;
    },
  },
  {
    name: 'encoded',
    sentence: 'Replies are JSON strings, with quotes around them and backslashes inside.',
    look_at: 'Look for text that is encoded as JSON twice.',
    undo: (reply) => {
      const value = jsonIn(reply);
      return typeof value === 'string' ? value : null;
    },
  },
  {
    name: 'envelope',
    sentence: 'Replies are wrapped in a JSON object.',
    look_at: 'Return the text itself, not the object around it.',
    undo: (reply) => {
      const value = jsonIn(reply);
      const inside: unknown[] = typeof value === 'object' && value !== null ? Object.values(value) : [];
      const texts = inside.filter((one) => typeof one === 'string');
      return (texts.length === 1 ? texts[0] : textsIn(value)[0]) ?? null;
    },
  },
  {
    name: 'trailing-commas',
    sentence: 'JSON in replies has commas before closing brackets.',
    look_at: jsonWriters,
    undo: (reply) => reply.replaceAll(/,(?=\s*[}\]])/g, ''),
  },
  {
    name: 'python-literals',
    sentence: 'JSON in replies has Python literals: True, None, single quotes.',
    look_at: 'Use json.dumps instead of str.',
    undo: (reply) =>
      reply
        .replaceAll(/\bTrue\b/g, 'true')
        .replaceAll(/\bFalse\b/g, 'false')
        .replaceAll(/\bNone\b/g, 'null')
        .replaceAll("'", '"'),
  },
  {
    name: 'numbers-as-strings',
    sentence: 'Numbers in JSON come back as strings: "12" for 12.',
    look_at: 'Look for code whose values are all strings, such as form data or a CSV row.',
    undo: (reply) =>
      rewritten(reply, (text) => (/^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text) ? Number(text) : text)),
  },
  {
    name: 'separators',
    sentence: 'Numbers in replies have thousands separators: 1,234 for 1234.',
    look_at: 'Look for code that formats numbers for people.',
    undo: (reply) => reply.replaceAll(/(?<=\d),(?=\d{3}(?!\d))/g, ''),
  },
  {
    name: 'american-dates',
    sentence: 'Dates are rewritten: 05/04/2031 for 2031-05-04.',
    look_at: 'Look for code that formats dates for people.',
    undo: (reply) => reply.replaceAll(/(\d\d)\/(\d\d)\/(\d{4})/g, '$3-$1-$2'),
  },
  {
    name: 'last-paragraph',
    sentence: 'A paragraph is added after the answer.',
    look_at: wrappers,
    undo: (reply) => withoutPart(reply, 0, reply.trimEnd().lastIndexOf('\n')),
  },
  {
    name: 'first-and-last',
    sentence: 'Lines are added before and after the answer.',
    look_at: wrappers,
    undo: (reply) => withoutPart(reply, reply.indexOf('\n') + 1, reply.trimEnd().lastIndexOf('\n')),
  },
];

/**
 * The changes without which a failed reply passes.
 *
 * @param passes grades a reply
 */
export async function findUndone(
  reply: string,
  passes: (reply: string) => Promise<boolean>,
): Promise<readonly string[]> {
  const names: string[] = [];
  for (const { name, undo } of undos) {
    const before = undo(reply);
    if (before === null || before === reply || !(await passes(before))) continue;
    names.push(name);
  }
  return names;
}

function withoutEntities(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll(/&#0*39;|&apos;|&#x27;/gi, "'")
    .replaceAll('&amp;', '&');
}

const textKeys = new Set([
  'text',
  'content',
  'delta',
  'token',
  'output',
  'reply',
  'response',
  'answer',
  'message',
]);
const deepest = 6;

/** The texts of a record under the keys that programs give to texts. */
function textsIn(value: unknown, depth = 0): readonly string[] {
  if (typeof value !== 'object' || value === null || depth > deepest) return [];
  return Object.entries(value).flatMap(([key, inside]) =>
    typeof inside === 'string' ? (textKeys.has(key) ? [inside] : []) : textsIn(inside, depth + 1),
  );
}

function withoutPart(reply: string, from: number, to: number): string | null {
  return from >= 0 && to > from && to - from < reply.length ? reply.slice(from, to) : null;
}

/** The value of a reply that is JSON, alone or in a Markdown code block; undefined for any other reply. */
export function jsonOfReply(reply: string): unknown {
  return jsonIn(reply.trim().replace(/^```\w*\n([^]*)\n```$/, '$1'));
}

/** The JSON of a reply with other values for its strings; null if it is none. */
function rewritten(reply: string, change: (text: string) => unknown): string | null {
  const value = jsonOfReply(reply);
  if (typeof value !== 'object' || value === null) return null;
  return JSON.stringify(value, (_key, inner: unknown) => (typeof inner === 'string' ? change(inner) : inner));
}
