/** What a version and its cases are identified by. */
import canonicalize from 'canonicalize';
import { createHash } from 'node:crypto';
import type { CaseMessage, SentCase, SentMessage, SuiteCase, SuiteDocument } from './document.ts';
import { placedOf } from './images.ts';
import { judgesOfCase } from './judges.ts';

/**
 * The SHA-256, in hex, of a document as parsed, before defaults are filled in, in the canonical form of RFC 8785. Comments, order
 * of keys and layout make no difference.
 */
export function hashDocument(parsed: unknown): string {
  return hash(parsed);
}

/**
 * Two versions have the same case if its id and this hash are the same: what the agent is asked and how replies are
 * graded. Title, tags, weight and sample replies may change.
 */
export function hashCase(
  suiteCase: SuiteCase,
  document: Pick<SuiteDocument, 'system' | 'tools' | 'judges'>,
): string {
  const { id, prompt, messages, turns, tools = document.tools, max_steps, expect, pass_at } = suiteCase;
  const named = [...judgesOfCase(suiteCase).values()].map((name) => {
    const { title: _title, ...judge } = document.judges?.[name] ?? {};
    return [name, judge];
  });
  const judges = named.length === 0 ? undefined : Object.fromEntries(named);
  const { system } = document;
  return hash({
    id,
    prompt,
    messages: messages?.map(withoutNames),
    turns,
    tools,
    max_steps,
    expect,
    pass_at,
    judges,
    system,
  });
}

/** What the messages of a case are known by, whether there is one prompt or a conversation. */
export function hashAsked({ prompt, messages }: Pick<SuiteCase | SentCase, 'prompt' | 'messages'>): string {
  return hash(messages?.map(withoutNames) ?? [{ role: 'user', content: prompt }]);
}

/** A file with another name is the same image. */
function withoutNames({ images, ...message }: CaseMessage | SentMessage): object {
  if (images === undefined) return message;
  return {
    ...message,
    images: images.map((image) => {
      const { name: _name, ...same } = typeof image === 'string' ? placedOf(image) : image;
      return same;
    }),
  };
}

/**
 * Names cases: by their own ids, and the others by what they ask, so that a case that is added or moved renames no other, and
 * one whose graders change keeps its name. Of cases that ask the same, each further one is named by what it expects too;
 * equal cases, which are interchangeable, have a number.
 */
export class CaseNames {
  readonly #taken: Set<string>;

  /** @param own all ids of the document, which the names of cases without one must avoid */
  constructor(own: Iterable<string>) {
    this.#taken = new Set(own);
  }

  nameOf({ id, prompt, messages, turns, tools, expect, pass_at }: Partial<SuiteCase>): string {
    if (id !== undefined) return id;
    const asked = { prompt, messages: messages?.map(withoutNames), turns, tools };
    let name = caseName(asked);
    if (this.#taken.has(name)) name = caseName({ ...asked, expect, pass_at });
    const base = name;
    for (let count = 2; this.#taken.has(name); count += 1) name = `${base}-${count}`;
    this.#taken.add(name);
    return name;
  }
}

function caseName(content: object): string {
  return `case-${hash(content).slice(0, 12)}`;
}

/** Whether the id is of `CaseNames`: an edit of the case gives it another. */
export function isNamedByContent(id: string): boolean {
  return /^case-[0-9a-f]{12}(?:-\d+)?$/.test(id);
}

/** Why cases should have ids, of a suite where `unnamed` of them have none; none if all have one. */
export function idWarnings(unnamed: number, cases: number): readonly string[] {
  if (unnamed === 0) return [];
  return [
    `\`id\` is missing in ${unnamed} of ${cases} case${cases === 1 ? '' : 's'}. Such a case is named by a hash of what it asks, so comparisons of runs lose it when you edit that. Give each case an \`id\` that stays the same.`,
  ];
}

export type CaseIdentity = readonly [id: string, hash: string];

export interface CaseChanges {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

/** The ids of the cases in which two versions differ. */
export function compareCases(before: readonly CaseIdentity[], after: readonly CaseIdentity[]): CaseChanges {
  const old = new Map(before);
  const now = new Set(after.map(([id]) => id));
  return {
    added: after.filter(([id]) => !old.has(id)).map(([id]) => id),
    changed: after.filter(([id, hashed]) => old.has(id) && old.get(id) !== hashed).map(([id]) => id),
    removed: before.filter(([id]) => !now.has(id)).map(([id]) => id),
  };
}

function hash(value: unknown): string {
  const text = canonicalize(JSON.parse(JSON.stringify(value)));
  if (text === undefined) throw new TypeError('Only JSON values have a canonical form.');
  return createHash('sha256').update(text).digest('hex');
}
