/** What an import returns, and the parts that the importers share. */
import { type Fields, isFields, isNumber, textOf } from '../exact-json.ts';
import { normalizeText } from '#runtime/normalize-text.ts';
import type { GraderSpec, Message, SentMessage, Tool } from '../document.ts';
import type { LocatedFault } from '../read-document.ts';
import type { LostList } from './lost-list.ts';

export const importFormats = ['inspect', 'promptfoo', 'openai-evals', 'csv'] as const;
export type ImportFormat = (typeof importFormats)[number];

/** A case as the importers make it, before ids and limits are checked. */
export interface ImportedCase {
  /** Where it stands in the source, from 1. */
  readonly line: number;
  /** The file beside the source in which it stands; undefined for the source itself. */
  readonly file?: string;
  readonly id?: string;
  readonly title?: string;
  readonly prompt?: string;
  readonly messages?: readonly SentMessage[];
  readonly tags?: readonly string[];
  readonly pass_at?: number;
  readonly expect: readonly GraderSpec[];
  /** Assertions of the source without a counterpart, as it names them. */
  readonly lost?: readonly string[];
}

export interface Import {
  readonly cases: readonly ImportedCase[];
  readonly title?: string;
  /** Offered in every case. */
  readonly tools?: readonly Tool[];
  readonly lost: LostList;
  /** What the person who runs the suite must take care of. */
  readonly warnings?: readonly string[];
}

/** A file that does not have the expected format. */
export class UnreadableError extends Error {
  override readonly name: string = 'UnreadableError';
  readonly faults: readonly LocatedFault[];

  constructor(faults: readonly LocatedFault[]) {
    super(faults[0]?.message);
    this.faults = faults;
  }
}

export function unreadable(line: number, message: string): UnreadableError {
  return new UnreadableError([{ line, column: 1, message }]);
}

/** An expression that matches `text`. */
export function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

/** An expression that matches texts that begin with `text`. */
export function beginsWith(text: string): string {
  return `^\\s*${escaped(text)}`;
}

const isPlain = (text: string): boolean => text === text.trim();

/** A grader that looks for all or any of the texts. Spaces at their ends count, which only `matches` sees. */
export function lookFor(texts: readonly string[], wanted: 'all' | 'any', ignoresCase = false): GraderSpec {
  const ignore = ignoresCase ? { ignore: ['case'] } : {};
  if (texts.every(isPlain))
    return texts.length === 1
      ? { contains: texts[0], ...ignore }
      : { [`contains_${wanted}`]: texts, ...ignore };
  const found = texts.map((text) =>
    isPlain(text)
      ? { contains: text, ...ignore }
      : { matches: escaped(text), ...(ignoresCase ? { flags: 'i' } : {}) },
  );
  const [only] = found;
  return found.length === 1 && only !== undefined ? only : { [wanted]: found };
}

const roles = ['system', 'user', 'assistant'] as const;

/** Few-shot examples of OpenAI's are system messages with these names. */
const examples: Readonly<Record<string, Message['role']>> = {
  example_user: 'user',
  example_assistant: 'assistant',
};

/** Told what a value has that a case cannot have. */
export type Lose = (construct: string, why: string) => void;

/** Messages in the form of chat APIs; null if one has another role, or content that is not text. */
export function readMessages(value: unknown, lose: Lose): readonly SentMessage[] | null {
  if (!Array.isArray(value) || value.length === 0) return null;
  const messages = value.flatMap((each: unknown) => {
    if (!isFields(each)) return [];
    const { role: given, content: said, name, ...more } = each;
    const example = typeof name === 'string' && Object.hasOwn(examples, name) ? examples[name] : undefined;
    const role = example ?? roles.find((known) => known === (given === 'developer' ? 'system' : given));
    const parts = partsOf(said);
    if (name !== undefined && example === undefined)
      lose('name of a message', 'A message has a role and a text.');
    for (const field of Object.keys(more).filter((key) => more[key] != null))
      lose(`${field} of a message`, 'A message has a role and a text.');
    if (role === undefined || parts === null || parts.content === '') return [];
    return [{ role, ...parts }];
  });
  return messages.length === value.length && messages.at(-1)?.role === 'user' ? messages : null;
}

/** The texts and images of a content, which may be a list of parts; null if it has others. */
function partsOf(content: unknown): Omit<SentMessage, 'role'> | null {
  if (typeof content === 'string') return { content };
  if (!Array.isArray(content)) return null;
  const parts = content.filter(isFields);
  const texts = parts.flatMap(({ type, text }) =>
    (type === 'text' || type === 'input_text') && typeof text === 'string' ? [text] : [],
  );
  const images = parts.flatMap((part) => imageOf(part) ?? []);
  if (texts.length + images.length < content.length) return null;
  return { content: texts.join('\n'), ...(images.length === 0 ? {} : { images }) };
}

/** The data URL or the path in a part of OpenAI's or Anthropic's form; null if it is no image. */
export function imageOf({ type, image_url: image, source }: Fields): string | null {
  const url = isFields(image) ? image['url'] : image;
  if ((type === 'image_url' || type === 'input_image') && typeof url === 'string')
    return url.replace(/^file:\/\//, '');
  if (type !== 'image' || !isFields(source)) return null;
  const { media_type: media, data, url: address } = source;
  return typeof data === 'string' && typeof media === 'string'
    ? `data:${media};base64,${data}`
    : typeof address === 'string'
      ? address
      : null;
}

/** The prompt of a case: a plain one where the conversation has only one message. */
export function promptOf(messages: readonly SentMessage[]): Pick<ImportedCase, 'prompt' | 'messages'> {
  const [only] = messages;
  return messages.length === 1 && only !== undefined && only.images === undefined
    ? { prompt: only.content }
    : { messages };
}

/**
 * Ids may have letters, digits, `.`, `_` and `-`; other characters become one `-`, which `lose` is told. What cannot be
 * kept is the title.
 */
export function idFrom(value: unknown, lose: Lose): { id?: string; title?: string } {
  if (value === undefined || value === null || value === '') return {};
  if (typeof value !== 'string' && !isNumber(value)) {
    lose('id', 'It must be a text or a number; the case is named by its content.');
    return {};
  }
  const given = textOf(value);
  const id = given.replaceAll(/[^A-Za-z0-9._-]+/g, '-').slice(0, maxIdCharacters);
  if (!/[A-Za-z0-9]/.test(id)) {
    lose(`id ${given}`, `${idRule} The case is named by its content.`);
    return titleFrom(given, lose);
  }
  if (id !== given) lose(`id ${given}`, `${idRule} The case is named ${id}.`);
  return { id, ...(id === given ? {} : titleFrom(given, lose)) };
}

export const maxIdCharacters = 64;
const idRule = 'An id has 1 to 64 letters, digits, ., _ or -.';

const maxTitleCharacters = 140;

/** A name or a description, in any script. */
export function titleFrom(value: unknown, lose: Lose): { title?: string } {
  const given = typeof value === 'string' ? value.trim() : '';
  if (given.length > maxTitleCharacters)
    lose('title', `It has more than ${maxTitleCharacters} characters, and is cut.`);
  const title = given.slice(0, maxTitleCharacters).replace(/[\ud800-\udbff]$/, '');
  return title === '' ? {} : { title };
}

/**
 * Spaces, case and accents are no loss.
 *
 * @param kind of the source, as what is lost names it
 */
export function tagFrom(value: string, lose: Lose, kind = 'tag'): readonly string[] {
  const given = value.trim();
  const plain = normalizeText(given.toLowerCase(), 'NFD').replaceAll(/\p{M}+/gu, '');
  const tag = plain
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+/, '')
    .slice(0, 40);
  if (tag !== plain.replaceAll(/\s+/g, '-')) {
    const became = tag === '' ? 'It is left out.' : `It becomes ${tag}.`;
    lose(`${kind} ${given}`, `A ${kind} has 1 to 40 of a-z, 0-9, ., _ and -. ${became}`);
  }
  return tag === '' ? [] : [tag];
}

/** The texts of a value that is one or a list of them; null if it is anything else. */
export function textsOf(value: unknown): readonly string[] | null {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  const texts = list.flatMap((each) => (typeof each === 'string' || isNumber(each) ? [textOf(each)] : []));
  return texts.length === list.length && texts.length > 0 && !texts.includes('') ? texts : null;
}
