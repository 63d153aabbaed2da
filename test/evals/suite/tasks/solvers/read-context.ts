/** Answers the tasks of the category context from their prompts, by turning sentences back into facts. */
import { bonds, places as homes, quirks, trades } from '#evals/suite/tasks/context/hops.ts';
import { goods } from '#evals/suite/language/goods.ts';
import chronicle from '#evals/suite/tasks/context/chronicle-wordings.json' with { type: 'json' };
import log from '#evals/suite/tasks/context/log-wordings.json' with { type: 'json' };
import { fillIn } from '#evals/suite/language/wordings.ts';
import { anyAs, nameAs, numberAs, wholeOf, wordAs } from './read-wordings.ts';

const name = String.raw`(\p{Lu}\p{Ll}+)`;

interface Fact {
  readonly key: string;
  readonly subject: string;
  readonly object: string;
}

const { heirlooms } = chronicle;
const heirloomPatterns = heirlooms.text.map((said) =>
  wholeOf(`{a} ${said}.`, { a: nameAs('a'), what: anyAs('what') }),
);

const patterns = [
  ...[...trades, ...quirks].flatMap(({ text, question }) =>
    text.map((said) => ({
      key: question,
      pattern: new RegExp(`^${name} ${said}\\.$`, 'u'),
      isSwapped: false,
    })),
  ),
  ...[...bonds, ...homes].flatMap(({ text, question }) =>
    text.map((said) => ({
      key: question,
      pattern: new RegExp(`^${said.replace('.', '\\.').replace('{a}', name).replace('{b}', name)}$`, 'u'),
      isSwapped: said.indexOf('{b}') < said.indexOf('{a}'),
    })),
  ),
];

/** Every answer that the facts of the prompt allow. A sound task has one. */
export function answerHops(prompt: string): string[] {
  const paragraphs = prompt.split('\n\n');
  const question = paragraphs.at(-1) ?? '';
  const facts = paragraphs.slice(1, -1).flatMap((paragraph) => paragraph.split(/(?<=\.) /).map(readFact));
  const inherited = goods.map((one) => fillIn(heirlooms.question, { what: one.name }));
  const traits = [...[...trades, ...quirks].map((trait) => trait.question), ...inherited].filter((text) =>
    new RegExp(`${RegExp.escape(text)}\\b`).test(question),
  );
  const having = traits.map(
    (key) => new Set(facts.filter((fact) => fact.key === key).map(({ subject }) => subject)),
  );
  let people = [...(having[0] ?? [])].filter((person) => having.every((set) => set.has(person)));
  for (const { question: key } of relationsIn(question)) {
    people = people.flatMap((person) =>
      facts.filter((fact) => fact.key === key && fact.subject === person).map(({ object }) => object),
    );
  }
  return [...new Set(people)];
}

function readFact(sentence: string): Fact {
  for (const { key, pattern, isSwapped } of patterns) {
    const match = pattern.exec(sentence);
    if (match === null) continue;
    const [first = '', second = ''] = match.slice(1);
    return { key, subject: isSwapped ? second : first, object: isSwapped ? first : second };
  }
  for (const pattern of heirloomPatterns) {
    const { a: subject = '', what = '' } = pattern.exec(sentence)?.groups ?? {};
    const one = goods.find(({ phrases: own }) => own.includes(what));
    if (one !== undefined)
      return { key: fillIn(heirlooms.question, { what: one.name }), subject, object: '' };
  }
  throw new Error(`Not a fact: ${sentence}`);
}

/** The relations of a question in the order in which to follow them: as given, or from the inside out. */
function relationsIn(question: string): { question: string }[] {
  const found = [...bonds, ...homes].flatMap((relation) => {
    const at = question.indexOf(relation.question.replace('{x}', ''));
    return at < 0 ? [] : [{ relation, at }];
  });
  const ordered = found.toSorted((one, two) => one.at - two.at).map(({ relation }) => relation);
  return question.startsWith('Start with') ? ordered : ordered.toReversed();
}

const points = ['who', 'what', 'where', 'how'];
// The longer first, because some begin like others.
const phrases = goods
  .flatMap((one) => [one.name, ...one.phrases])
  .map((phrase) => ({ lowered: phrase.toLowerCase(), pattern: RegExp.escape(phrase) }))
  .toSorted((left, right) => right.lowered.length - left.lowered.length);

/** The patterns of the places in a text, with its own goods only: a pattern with thousands of them is slow. */
function placesIn(text: string) {
  const lowered = text.toLowerCase();
  const known = phrases.filter((phrase) => lowered.includes(phrase.lowered));
  return {
    ...Object.fromEntries(['who', 'where'].map((point) => [point, wordAs(point)])),
    what: `(?<what>(?i:${known.map(({ pattern }) => pattern).join('|') || '(?!)'}))`,
    how: String.raw`(?<how>(?:[Bb]y|[Oo]n)(?: an?)? \p{L}+)`,
  };
}

const struckPatterns = log.struck.map((text) => wholeOf(text, { entry: anyAs('entry') }));
const questionPatternsIn = (question: string) => {
  const places = placesIn(question);
  return log.question.map((text) =>
    wholeOf(`${text} {rest}`, {
      ...places,
      rule: '(?<rule>.*)',
      nth: String.raw`(?<nth>\d+)\p{L}+`,
      number: numberAs('nth'),
      side: '(?<side>beginning|end)',
      edge: '(?<side>top|bottom)',
      direction: '(?<side>forwards|backwards)',
      rest: anyAs('rest'),
    }),
  );
};

/** Every meaning of a line; a sound one has one. */
export function readEntries(line: string): { entry: Record<string, string>; isStruck: boolean }[] {
  const places = { ...placesIn(line), receipt: wordAs('receipt') };
  const plain = log.entry.flatMap((text) => {
    const groups = wholeOf(text, places).exec(line)?.groups;
    return groups === undefined ? [] : [{ entry: { ...groups }, isStruck: false }];
  });
  const struck = struckPatterns.flatMap((pattern) => {
    const entry = pattern.exec(line)?.groups?.['entry'];
    return entry === undefined ? [] : readEntries(entry).map((read) => ({ ...read, isStruck: true }));
  });
  return [...plain, ...struck];
}

export function answerTwins(prompt: string): string {
  const paragraphs = prompt.split('\n\n');
  const question = paragraphs.at(-1) ?? '';
  const asked = questionPatternsIn(question)
    .map((pattern) => pattern.exec(question)?.groups)
    .find(Boolean);
  if (asked === undefined) throw new Error(`Not a question: ${question}`);
  const matching = (paragraphs[1] ?? '').split('\n').flatMap((line) => {
    const [only, ...others] = readEntries(line);
    if (only === undefined || others.length > 0) throw new Error(`Not one entry: ${line}`);
    const isAsked = points.every((point) => plain(only.entry[point]) === plain(asked[point]));
    return isAsked && !only.isStruck ? [only.entry['receipt'] ?? ''] : [];
  });
  const rank = Number(asked['nth']);
  const fromEnd = ['end', 'bottom', 'backwards'].includes(asked['side'] ?? '');
  return matching.at(fromEnd ? -rank : rank - 1) ?? '';
}

const nameOf = new Map(
  goods.flatMap(({ name: known, phrases: own }) =>
    [known, ...own].map((phrase) => [phrase.toLowerCase(), known]),
  ),
);

/** In lower case, goods by their name, and a way as its noun: "on a cart" is "by cart". */
function plain(point = ''): string {
  const lowered = point.toLowerCase();
  return nameOf.get(lowered) ?? lowered.replace(/^(?:by|on)(?: an?)? /, '');
}
