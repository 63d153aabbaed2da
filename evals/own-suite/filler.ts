/** Fills variables into texts: `{{order}}`, fields such as `{{order.id}}`, and plain filters. */
import { type Fields, isFields, textOf, writeExactJson } from './exact-json.ts';

const filters: Readonly<Record<string, (value: unknown, argument: string) => unknown>> = {
  dump: writeExactJson,
  join: (value, by) => (Array.isArray(value) ? value.map(textOf).join(by) : value),
  safe: (value) => value,
  trim: (value) => textOf(value).trim(),
  upper: (value) => textOf(value).toUpperCase(),
  lower: (value) => textOf(value).toLowerCase(),
};

const maxListedNames = 20;
const maxNameCharacters = 60;

/** Names of variables that nothing names, at the beginning of a warning. */
export function listNames(names: readonly string[]): string {
  const more = names.length - maxListedNames;
  const listed = names.slice(0, maxListedNames).map((name) => name.slice(0, maxNameCharacters));
  return listed.join(', ') + (more > 0 ? ` and ${more} more` : '');
}

interface Filling {
  /** Called with the number of characters before a text is built. */
  readonly spend: (characters: number) => void;
  /** Called with the name of each undefined variable, whose value is empty. */
  readonly unknown: (name: string) => void;
  /** Levels of variables whose values name variables again; values stay as they are by default. */
  readonly maxNesting?: number;
  /** Whether `{%` and `{#` belong to the template language, instead of to the text. */
  readonly hasTags?: boolean;
}

/** Spaces of a level of JSON with indented lines. */
export const jsonIndent = 2;

/** Fills variables in for one case. Each variable is filled in once, however often it is named. */
export class Filler {
  readonly #variables: Fields;
  readonly #filling: Filling;
  /** By depth and expression. */
  readonly #known = new Map<string, unknown>();
  readonly #extended: Filler[] = [];

  constructor(variables: Fields, filling: Filling) {
    this.#variables = variables;
    this.#filling = filling;
  }

  /** The template with its variables filled in; null if it has more than variables, their fields and plain filters. */
  fill(template: string, depth = 0): string | null {
    const { spend, hasTags = false } = this.#filling;
    spend(template.length);
    if (hasTags && template.includes('{%')) return null;
    const parts: string[] = [];
    let end = 0;
    for (const { 0: whole, 1: inner, index } of template.matchAll(/\{\{([^{}]*)\}\}|\{#[^#]*#\}/g)) {
      if (inner === undefined && !hasTags) continue;
      // The other alternative is a comment.
      const value = inner === undefined ? '' : this.valueOf(inner, depth);
      if (value === undefined) return null;
      const text = textOf(value);
      spend(text.length);
      parts.push(template.slice(end, index), text);
      end = index + whole.length;
    }
    return [...parts, template.slice(end)].join('');
  }

  /** All variables, filled in; null if one of them cannot be. */
  variables(): Fields | null {
    const filled = this.fillAll(this.#variables);
    return isFields(filled) ? filled : null;
  }

  /**
   * The value with every text in it filled in; undefined if one of them cannot be. Spends what writing it as JSON with
   * indented lines takes.
   */
  fillAll(value: unknown, indent = 0): unknown {
    this.#filling.spend(1 + indent);
    if (typeof value === 'string') return this.fill(value) ?? undefined;
    const inner = indent + jsonIndent;
    if (Array.isArray(value)) {
      const all: readonly unknown[] = value.map((each: unknown) => this.fillAll(each, inner));
      return all.includes(undefined) ? undefined : all;
    }
    if (!isFields(value)) return value;
    const entries = Object.entries(value).map(([name, each]) => [name, this.fillAll(each, inner)] as const);
    return entries.some(([, each]) => each === undefined) ? undefined : Object.fromEntries(entries);
  }

  /** The value of what stands between `{{` and `}}`; undefined if it is more than a variable, its fields and plain filters. */
  valueOf(expression: string, depth = 0): unknown {
    const key = `${depth} ${expression}`;
    if (!this.#known.has(key)) this.#known.set(key, this.#read(expression, depth));
    return this.#known.get(key);
  }

  /** With more variables. What it fills in counts as named here too. */
  extended(more: Fields): Filler {
    const filler = new Filler({ ...this.#variables, ...more }, this.#filling);
    this.#extended.push(filler);
    return filler;
  }

  /** The variables that no text has named so far. */
  unused(): readonly string[] {
    const known = [this, ...this.#extended].flatMap((each) => [...each.#known.keys()]);
    const named = new Set(known.map((key) => /^\d+ -?\s*([^.|\s]*)/.exec(key)?.[1]));
    return Object.keys(this.#variables).filter((name) => !named.has(name));
  }

  #read(expression: string, depth: number): unknown {
    const { spend, unknown, maxNesting, hasTags = false } = this.#filling;
    const [name = '', ...names] = expression.replaceAll(/^-|-$/g, '').split('|');
    let value: unknown = this.#variables;
    for (const part of name.trim().split('.')) {
      // Of the environment, and of the conversation so far, nothing is known.
      if (hasTags && (!/^[\w-]+$/.test(part) || part === 'env' || part === '_conversation')) return undefined;
      if (isFields(value) && Object.hasOwn(value, part)) value = value[part];
      else {
        unknown(name.trim());
        value = '';
        break;
      }
    }
    if (typeof value === 'string' && maxNesting !== undefined) {
      if (depth >= maxNesting) return undefined;
      value = this.fill(value, depth + 1) ?? undefined;
    }
    for (const each of names) {
      const [, key = '', , argument = ''] = /^(\w+)(?:\((["'])([^"']{0,20})\2\))?$/.exec(each.trim()) ?? [];
      const filter = Object.hasOwn(filters, key) ? filters[key] : undefined;
      if (filter === undefined || value === undefined) return undefined;
      value = filter(value, argument);
      // One filter makes a text at most six times as long, so the next one is never begun too late.
      spend(1 + (typeof value === 'string' ? value.length : 0));
    }
    return value;
  }
}
