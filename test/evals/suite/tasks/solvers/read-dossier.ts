/** Answers the tasks of the category calibration from their prompts, by turning sentences back into facts. */
import { goods } from '#evals/suite/language/goods.ts';
import type { Theme } from '#evals/suite/tasks/calibration/themes.ts';
import { themes } from '#evals/suite/tasks/calibration/themes.ts';
import wordings from '#evals/suite/tasks/calibration/wordings.json' with { type: 'json' };
import { anyAs, nameAs, numberAs, wholeOf, wordAs } from './read-wordings.ts';

export interface Statement {
  readonly relation: string;
  readonly first: string;
  readonly second: string;
  readonly isTakenBack: boolean;
}

/** The patterns of a theme that are used again and again. */
interface Reader {
  readonly statements: readonly { readonly relation: string; readonly pattern: RegExp }[];
  readonly entity: RegExp;
  readonly headedBy: readonly RegExp[];
  readonly followedBy: readonly RegExp[];
  readonly receiver: readonly RegExp[];
  /** By number attribute. */
  readonly questions: readonly (readonly RegExp[])[];
}

const readers = new Map(themes.map((theme) => [theme, readerOf(theme)]));
const corrections = wordings.correction.map((text) =>
  wholeOf(text, { wrong: anyAs('wrong'), right: anyAs('right') }),
);

const nameOfPhrase = new Map(goods.flatMap(({ name, phrases }) => phrases.map((phrase) => [phrase, name])));
const openings = wordings.opening.map((text) => wholeOf(text, { topic: anyAs('topic') }));
const labelled = wordings.label.map((label) =>
  wholeOf(`${label}{question}`, { n: numberAs('n'), question: anyAs('question') }),
);

/** The groups of the first pattern that fits. */
function groupsOf(patterns: readonly RegExp[], text: string): Record<string, string> | undefined {
  return patterns.map((pattern) => pattern.exec(text)?.groups).find((groups) => groups !== undefined);
}

function readerOf(theme: Theme): Reader {
  const entity = (group: string) => theme.entity.replace('{name}', nameAs(group));
  const places = { x: entity('x'), y: entity('y'), n: numberAs('second'), p: nameAs('second') };
  const what = anyAs('what');
  const sorts: [string, readonly string[]][] = [
    ...theme.numbers.map(({ text }, index): [string, readonly string[]] => [`number ${index}`, text]),
    ...theme.numbers.map(({ near }, index): [string, readonly string[]] => [`near ${index}`, near]),
    ['head', theme.head],
    ['helper', theme.helper],
    ['follows', theme.follows],
    ['gift', wordings.gift],
    ['near gift', wordings.nearGift],
  ];
  return {
    statements: sorts.flatMap(([relation, texts]) =>
      texts.map((text) => ({ relation, pattern: wholeOf(text, { ...places, what }) })),
    ),
    entity: wholeOf('{x}', places),
    headedBy: theme.headedBy.map((text) => wholeOf(text, places)),
    followedBy: theme.followedBy.map((text) => wholeOf(text, { x: anyAs('x') })),
    receiver: wordings.receiver.map((text) =>
      wholeOf(text.replace('{noun}', theme.noun), { what: wordAs('second') }),
    ),
    questions: theme.numbers.map(({ question, together }) => [
      ...question.map((text) => wholeOf(text, { x: anyAs('x') })),
      ...together.map((text) => wholeOf(text, { x: `(?<x>${entity('name')})`, y: anyAs('y') })),
    ]),
  };
}

function readerFor(theme: Theme): Reader {
  const reader = readers.get(theme);
  if (reader === undefined) throw new Error('Not a theme.');
  return reader;
}

/** Every meaning of a sentence; a sound one has one. A correction has the two statements that it is about. */
export function readStatements(theme: Theme, sentence: string): Statement[][] {
  const plain = readerFor(theme).statements.flatMap(({ relation, pattern }) => {
    const groups = pattern.exec(sentence)?.groups;
    if (groups === undefined) return [];
    const { x = '', y, what, second = '' } = groups;
    const named = what === undefined ? (y ?? second) : nameOfPhrase.get(what);
    if (named === undefined) return [];
    return [[{ relation, first: x, second: named, isTakenBack: false }]];
  });
  const corrected = corrections.flatMap((pattern) => {
    const { wrong, right } = pattern.exec(sentence)?.groups ?? {};
    if (wrong === undefined || right === undefined) return [];
    return readStatements(theme, wrong).flatMap((taken) =>
      readStatements(theme, right).map((kept) => [
        ...taken.map((one) => ({ ...one, isTakenBack: true })),
        ...kept,
      ]),
    );
  });
  return [...plain, ...corrected];
}

export function answerDossier(prompt: string): string[] {
  const paragraphs = prompt.split('\n\n');
  const topicOf = (text = '') => groupsOf(openings, text)?.['topic'];
  const start = paragraphs.findIndex((text) => topicOf(text) !== undefined);
  const topic = topicOf(paragraphs[start]);
  const theme = themes.find(({ heading }) => heading.includes(topic ?? ''));
  const end = paragraphs.findIndex((text) => wordings.heading.includes(text));
  if (theme === undefined || end < 0) throw new Error('No theme fits.');
  const statements = paragraphs.slice(start + 1, end).flatMap((paragraph) => readParagraph(theme, paragraph));
  return (paragraphs[end + 1] ?? '').split('\n').map((line) => {
    return answer(theme, statements, groupsOf(labelled, line)?.['question'] ?? '');
  });
}

/** Two sentences together may be a correction, so they are tried first. */
function readParagraph(theme: Theme, paragraph: string): Statement[] {
  const sentences = paragraph.split(/(?<=\.) /);
  const found: Statement[] = [];
  for (let at = 0; at < sentences.length;) {
    const two = at + 1 < sentences.length ? sentences.slice(at, at + 2).join(' ') : null;
    const both = two === null ? [] : readStatements(theme, two.slice(0, -1));
    const meanings = both.length > 0 ? both : readStatements(theme, (sentences[at] ?? '').slice(0, -1));
    const [only, ...others] = meanings;
    if (only === undefined || others.length > 0) throw new Error(`Not one statement: ${sentences[at]}`);
    found.push(...only);
    at += both.length > 0 ? 2 : 1;
  }
  return found;
}

/** What the statements say about one relation; more than one value is a contradiction, none a gap. */
function valuesOf(statements: readonly Statement[], relation: string, first: string): string[] {
  const said = statements.filter(
    (one) => !one.isTakenBack && one.relation === relation && one.first === first,
  );
  return [...new Set(said.map(({ second }) => second))];
}

/** Every meaning of a question: a number attribute and the phrases for one entity or two. */
export function readQuestion(theme: Theme, question: string): { attribute: number; subjects: string[] }[] {
  return readerFor(theme).questions.flatMap((patterns, attribute) =>
    patterns.flatMap((pattern) => {
      const { x, y } = pattern.exec(question)?.groups ?? {};
      const subjects = [x, y].filter((subject) => subject !== undefined);
      const isRead = subjects.length > 0 && subjects.every((subject) => isPhrase(theme, subject));
      return isRead ? [{ attribute, subjects }] : [];
    }),
  );
}

function isPhrase(theme: Theme, phrase: string): boolean {
  return resolve(theme, [], phrase) !== null;
}

function answer(theme: Theme, statements: readonly Statement[], question: string): string {
  const [only, ...others] = readQuestion(theme, question);
  if (only === undefined || others.length > 0) throw new Error(`Not one question: ${question}`);
  const numbers = only.subjects.map((subject) => {
    const entities = resolve(theme, statements, subject) ?? [];
    const values = entities.flatMap((entity) => valuesOf(statements, `number ${only.attribute}`, entity));
    return entities.length === 1 && values.length === 1 ? Number(values[0]) : Number.NaN;
  });
  const sum = numbers.reduce((total, value) => total + value, 0);
  return Number.isNaN(sum) ? 'unknown' : String(sum);
}

/** The entities that a phrase may mean, or null if it is no phrase. */
function resolve(theme: Theme, statements: readonly Statement[], phrase: string): string[] | null {
  const { entity, followedBy, headedBy, receiver } = readerFor(theme);
  for (const pattern of followedBy) {
    const inner = pattern.exec(phrase)?.groups?.['x'];
    if (inner === undefined) continue;
    const followers = resolve(theme, statements, inner);
    return followers?.flatMap((one) => valuesOf(statements, 'follows', one)) ?? null;
  }
  const described = [
    ['head', headedBy],
    ['gift', receiver],
  ] as const;
  for (const [relation, patterns] of described) {
    const second = groupsOf(patterns, phrase)?.['second'];
    if (second === undefined) continue;
    const said = statements.filter((one) => one.relation === relation && one.second === second);
    return [...new Set(said.map(({ first }) => first))];
  }
  const name = entity.exec(phrase)?.groups?.['x'];
  return name === undefined ? null : [name];
}
