/**
 * Expands a document: the files that it names, defaults, variables, and the graders of turns. Everything after this step
 * sees only complete cases. Sizes are counted before anything is repeated.
 */
import { type Static, Type } from 'typebox';
import { nearestName } from '#runtime/validation-messages.ts';
import type { FilesBeside } from './beside.ts';
import { CasesFile, Shorthand } from './document.ts';
import { exactOf, type Fields, fieldsOf, isFields, isNumber } from './exact-json.ts';
import { findShapeFaults, nameOf, type Path } from './fault.ts';
import { Filler, listNames } from './filler.ts';
import { isTable, readFile } from './import/records.ts';
import { maxCases, maxDocumentBytes, maxFaults, maxTokens } from './limits.ts';
import {
  type At,
  entriesOf,
  type Given,
  joined,
  type Part,
  placedBy,
  toolsOf,
  under,
  unique,
} from './placed-values.ts';
import { type LocatedFault, readDocument, type TokenBudget } from './read-document.ts';
import { caseOfRecord, faultOfRecord } from './record-case.ts';
import { textsOfTurns, turnEntries } from './turns.ts';

export interface PlacedFault extends LocatedFault {
  readonly path: Path;
}

export interface ExpandedDocument {
  /** The document itself if there was nothing to expand. */
  readonly value: unknown;
  readonly locate: At;
  readonly faults: readonly PlacedFault[];
  /** Whether nothing can be said of the cases, because of the faults or because a file was not given yet. */
  readonly isBroken: boolean;
  /** What is allowed, but may be a mistake. */
  readonly warnings?: readonly string[];
}

/** Characters that are read or made on the way to the cases. */
const maxCharacters = 4 * maxDocumentBytes;

/** Characters of a name in a fault. */
const shownNameMax = 60;

const notNamed =
  'no prompt and no grader names these columns, so they have no effect. What is expected is mapped: `map: { expected: COLUMN }`.';

class ExpandedTooLargeError extends Error {
  override readonly name: string = 'ExpandedTooLargeError';
}

export function expandDocument(
  { value, locate }: { readonly value: unknown; readonly locate: At },
  files: FilesBeside,
): ExpandedDocument {
  if (!isFields(value) || !isShort(value)) return { value, locate, faults: [], isBroken: false };
  const expansion = new Expansion(files, locate);
  try {
    return expansion.expand({ fields: value, at: locate });
  } catch (error) {
    if (!(error instanceof ExpandedTooLargeError)) throw error;
    expansion.fault(locate, ['cases'], error.message);
    return { value, locate, faults: expansion.faults, isBroken: true };
  }
}

function isShort(document: Fields): boolean {
  const { cases, defaults } = document;
  return (
    ['template', 'include'].some((field) => Object.hasOwn(document, field)) ||
    (isFields(defaults) && ['vars', 'expect', 'tags'].some((field) => Object.hasOwn(defaults, field))) ||
    isFields(cases) ||
    (Array.isArray(cases) &&
      cases.some((each) => isFields(each) && (Object.hasOwn(each, 'vars') || Object.hasOwn(each, 'turns'))))
  );
}

/** What an included file may bring. */
const Included = Type.Object(
  {
    template: Shorthand.properties.template,
    defaults: Shorthand.properties.defaults,
    judges: Type.Optional(Type.Object({})),
    tools: Type.Optional(Type.Array(Type.Unknown())),
    cases: Type.Optional(Type.Array(Type.Unknown())),
  },
  { additionalProperties: false },
);

class Expansion {
  readonly faults: PlacedFault[] = [];
  readonly #files: FilesBeside;
  readonly #main: At;
  #left = maxCharacters;
  /** Of all files. */
  readonly #tokens: TokenBudget = { left: maxTokens };
  /** Columns of records that became variables. */
  readonly #columns = new Set<string>();
  /** Variables that a text of a case names. */
  readonly #named = new Set<string>();

  constructor(files: FilesBeside, main: At) {
    this.#files = files;
    this.#main = main;
  }

  fault(at: At, path: Path, message: string, named: Path = path): void {
    if (this.faults.length < maxFaults) this.faults.push({ ...at(path), path: named, message });
  }

  expand(main: Part): ExpandedDocument {
    const { fields, at } = main;
    this.#checkShape(Shorthand, main, 'The suite');
    if (isFields(fields['cases']))
      this.#checkShape(CasesFile, { fields: fields['cases'], at: under(at, 'cases') }, '`cases`');
    if (this.faults.length > 0) return { value: fields, locate: at, faults: this.faults, isBroken: true };
    // It has the form of `Shorthand`.
    const { include = [] } = fields as Static<typeof Shorthand>;
    const parts = [main, ...[include].flat().flatMap((name) => this.#include(name) ?? [])];
    const cases = parts.flatMap((part) => this.#casesOf(part)).slice(0, maxCases + 1);
    if (this.faults.length > 0 || this.#files.missing().length > 0)
      return { value: fields, locate: at, faults: this.faults, isBroken: true };
    return this.#join(parts, cases);
  }

  #spend = (characters: number): void => {
    this.#left -= characters;
    if (this.#left < 0)
      throw new ExpandedTooLargeError(
        `With defaults, variables and files expanded, the cases have more than ${maxCharacters} characters. Use fewer or shorter ones.`,
      );
  };

  #checkShape(shape: Parameters<typeof findShapeFaults>[0], { fields, at }: Part, name: string): void {
    for (const { path, message } of findShapeFaults(shape, fields, [], name)) this.fault(at, path, message);
  }

  /** @returns null if it was not given yet, or there is none */
  #read(name: string, at: At, path: Path): string | null {
    const text = this.#files.read(name);
    if (text === null) this.fault(at, path, `There is no file ${JSON.stringify(name)} beside the suite.`);
    return text ?? null;
  }

  #include(name: string): Part | null {
    const text = this.#read(name, this.#main, ['include']);
    if (text === null) return null;
    const read = readDocument(text, name.endsWith('.json') ? 'json' : 'yaml', this.#tokens);
    if (!read.ok) {
      for (const fault of read.faults)
        this.fault(() => ({ ...fault, file: name }), ['include'], fault.message);
      return null;
    }
    const at: At = (path) => ({ ...read.locate(path), file: name });
    if (!isFields(read.value)) {
      this.fault(at, [], 'An included file must be an object, such as `defaults: { tags: [shop] }`.');
      return null;
    }
    const part = { fields: read.value, at };
    this.#checkShape(Included, part, 'An included file');
    return part;
  }

  #casesOf({ fields: { cases }, at }: Part): readonly Given[] {
    if (Array.isArray(cases))
      return cases.map((value: unknown, index) => ({ value, at: (path) => at(['cases', index, ...path]) }));
    // It has the form of `CasesFile`.
    return isFields(cases) ? this.#records(cases as Static<typeof CasesFile>, at) : [];
  }

  #records({ file, map = {} }: Static<typeof CasesFile>, at: At): readonly Given[] {
    const text = this.#read(file, at, ['cases', 'file']);
    if (text === null) return [];
    const read = readFile(file, text, {
      map: new Map(Object.entries(map)),
      unread: (faults) => {
        for (const fault of faults) this.fault(() => ({ ...fault, file }), ['cases'], fault.message);
      },
    });
    const refuse = (line: number, why: string) =>
      this.fault(() => ({ line, column: 1, file }), ['cases'], why);
    for (const { line, construct, why } of read.lost.entries()) refuse(line, `${construct}: ${why}`);
    for (const { line, fields } of read.rows) {
      const fault = faultOfRecord(fields);
      if (fault !== null) refuse(line, fault);
    }
    return read.rows.map(({ line, fields, locate = () => ({ line, column: 1 }) }) => {
      const value = caseOfRecord(fields, isTable(file));
      for (const name of Object.keys(fieldsOf(value['vars']))) this.#columns.add(name);
      return { value, at: (path) => ({ ...locate(path), file }) };
    });
  }

  #join(parts: readonly Part[], given: readonly Given[]): ExpandedDocument {
    const [main] = parts;
    const defaults = parts.map(({ fields, at }) => ({
      fields: fieldsOf(fields['defaults']),
      at: under(at, 'defaults'),
    }));
    const vars = joined(defaults.map(({ fields }) => fieldsOf(fields['vars'])));
    const templated = parts.find(({ fields }) => fields['template'] !== undefined);
    const shared: Shared = {
      vars,
      fills:
        templated !== undefined ||
        defaults.some(({ fields }) => fields['vars'] !== undefined) ||
        given.some(({ value }) => isFields(value) && value['vars'] !== undefined),
      template:
        templated === undefined
          ? null
          : { value: templated.fields['template'], at: under(templated.at, 'template') },
      expect: defaults.flatMap(({ fields, at }) => entriesOf(fields['expect'], under(at, 'expect'))),
      tags: defaults.flatMap(({ fields, at }) => entriesOf(fields['tags'], under(at, 'tags'))),
    };
    const size = JSON.stringify(shared.expect.map(({ value }) => value)).length;
    const cases = given.map((each, index) => {
      this.#spend(size);
      return this.#case(each, index, shared);
    });
    const { template: _, include: __, defaults: ___, cases: ____, ...head } = main?.fields ?? {};
    const settings = joined(
      defaults.map(({ fields: { vars: _vars, expect: _expect, tags: _tags, ...rest } }) => rest),
    );
    const judges = placedBy(parts, 'judges');
    const tools = toolsOf(parts);
    const merged = {
      ...head,
      ...(Object.keys(settings).length === 0 ? {} : { defaults: settings }),
      ...(judges.size === 0
        ? {}
        : { judges: Object.fromEntries([...judges].map(([name, { value }]) => [name, value])) }),
      ...(tools === null ? {} : { tools: tools.map(({ value }) => value) }),
    };
    const locateHead: At = (path) => {
      const [field, key, ...rest] = path;
      const placed =
        field === 'judges' ? judges.get(String(key)) : field === 'tools' ? tools?.[Number(key)] : undefined;
      return placed === undefined || key === undefined ? this.#main(path) : placed.at(rest);
    };
    const filled = shared.fills ? this.#fill(merged, vars, locateHead, []) : merged;
    const value = { ...(filled as Fields), cases: cases.map((each) => each.value) };
    const idle = [...this.#columns].filter((name) => !this.#named.has(name));
    if (Buffer.byteLength(JSON.stringify(value)) > maxDocumentBytes)
      this.fault(
        this.#main,
        ['cases'],
        `With files and defaults expanded, the suite must have at most ${maxDocumentBytes} bytes. Use fewer or shorter cases.`,
      );
    return {
      value,
      locate: (path) => {
        const [field, index, ...rest] = path;
        const found = field === 'cases' && typeof index === 'number' ? cases[index] : undefined;
        return found === undefined ? locateHead(path) : found.at(rest);
      },
      faults: this.faults,
      isBroken: false,
      warnings: idle.length === 0 ? [] : [`${listNames(idle)}: ${notNamed}`],
    };
  }

  #case({ value: given, at }: Given, index: number, shared: Shared): Given {
    if (!isFields(given)) return { value: given, at };
    const { vars = {}, ...own } = given;
    // The check reports values of the wrong form.
    if (
      !isFields(vars) ||
      ![own['expect'], own['tags']].every((list) => list === undefined || Array.isArray(list))
    )
      return { value: given, at };
    const listed = (field: string) => entriesOf(own[field], under(at, field));
    const withTurns = (field: 'expect' | 'accepted' | 'refused') => [
      ...turnEntries(own, field, at),
      ...listed(field),
    ];
    const lists = new Map<string, readonly Given[]>([
      ['expect', [...withTurns('expect'), ...shared.expect]],
      ['accepted', withTurns('accepted')],
      ['refused', withTurns('refused')],
      ['tags', unique([...listed('tags'), ...shared.tags])],
    ]);
    const isAsked = ['prompt', 'messages', 'turns'].some((field) => own[field] !== undefined);
    const template = isAsked ? null : shared.template;
    const value = {
      ...own,
      ...(template === null ? {} : { prompt: template.value }),
      ...(own['turns'] === undefined ? {} : { turns: textsOfTurns(own['turns']) }),
      ...Object.fromEntries(
        [...lists].flatMap(([field, list]) =>
          list.length === 0 ? [] : [[field, list.map((each) => each.value)] as const],
        ),
      ),
    };
    const locate: At = (path) => {
      const [field, place, ...rest] = path;
      const entry = typeof place === 'number' ? lists.get(String(field))?.[place] : undefined;
      if (entry !== undefined) return entry.at(rest);
      return field === 'prompt' && template !== null ? template.at([]) : at(path);
    };
    if (!shared.fills) return { value, at: locate };
    return { value: this.#fill(value, { ...shared.vars, ...vars }, locate, ['cases', index]), at: locate };
  }

  /** Fills the variables into every text of a value. */
  #fill(value: unknown, vars: Fields, at: At, place: Path): unknown {
    let here: Path = [];
    const complain = (why: string) => {
      const named = [...place, ...here];
      this.fault(at, here, `${nameOf(named)}: ${why}`, named);
    };
    const filler = new Filler(vars, {
      spend: this.#spend,
      unknown: (name) => {
        if (this.faults.length >= maxFaults) return;
        const meant = nearestName(
          name,
          Object.keys(vars).filter((known) => known.length <= shownNameMax),
        );
        const proposal = meant === null ? '' : ` Did you mean \`${meant}\`?`;
        complain(`No variable is named \`${name.slice(0, shownNameMax)}\`; give it in \`vars\`.${proposal}`);
      },
    });
    const walk = (each: unknown, path: Path): unknown => {
      if (typeof each === 'string') {
        here = path;
        return this.#fillText(each, filler, path.at(-1), complain);
      }
      this.#spend(1);
      if (Array.isArray(each)) return each.map((one: unknown, index) => walk(one, [...path, index]));
      if (!isFields(each)) return each;
      return Object.fromEntries(
        Object.entries(each).map(([name, one]) => {
          this.#spend(name.length);
          return [name, walk(one, [...path, name])] as const;
        }),
      );
    };
    const filled = walk(value, []);
    const unused = new Set(filler.unused());
    for (const name of Object.keys(vars)) if (!unused.has(name)) this.#named.add(name);
    return filled;
  }

  #fillText(
    text: string,
    filler: Filler,
    field: string | number | undefined,
    complain: (why: string) => void,
  ): unknown {
    const [, whole] = /^\s*\{\{([^{}]*)\}\}\s*$/.exec(text) ?? [];
    const value = whole === undefined ? undefined : filler.valueOf(whole);
    if (typeof value === 'object' && value !== null && !isNumber(value)) {
      this.#spend(JSON.stringify(value).length);
      return value;
    }
    const filled = filler.fill(text);
    if (filled === null) {
      complain(
        'Write only a variable, its fields and the filters dump, lower, safe, trim or upper between `{{` and `}}`.',
      );
      return text;
    }
    return whole === undefined || !plainFields.has(String(field)) ? filled : plainOf(filled);
  }
}

/** What all cases get. */
interface Shared {
  readonly vars: Fields;
  /** Whether `{{…}}` stands for variables. */
  readonly fills: boolean;
  readonly template: Given | null;
  readonly expect: readonly Given[];
  readonly tags: readonly Given[];
}

/** Fields of cases and graders that take a number or a truth value, which a table can only have as text. */
const plainFields = new Set(
  'number within within_percent latency_s min max at_least at_most weight pass_at refuses required not last percent'.split(
    ' ',
  ),
);

function plainOf(text: string): unknown {
  const plain = text.trim();
  if (plain === 'true' || plain === 'false') return plain === 'true';
  return /^-?\d{1,40}(?:\.\d{1,40})?$/.test(plain) ? exactOf(Number(plain), plain) : text;
}
