import { type Edge, groupWordings, inferEdges } from './inference.ts';
import { privateRelations } from './relations-private.ts';
import { publicRelations } from './relations-public.ts';
import { townSentences } from './towns.ts';
import { firstTraits } from './traits-first.ts';
import { moreTraits } from './traits-more.ts';
import { type Messages, capitals, count, escapeRegExp, userTexts } from './text.ts';

type Pattern = { name: string; pattern: RegExp; holderFirst: boolean };

const proper = '([A-Z][a-z]+)';

const compile = (table: Readonly<Record<string, readonly string[]>>): Pattern[] =>
  Object.entries(table).flatMap(([name, templates]) =>
    templates.map((template) => {
      const source = escapeRegExp(template).replace(/[@#]/g, proper).replace(/~/g, '[A-Z][a-z]+');
      const pattern = new RegExp(`^${source}[.!]?$`);
      return { name, pattern, holderFirst: template.indexOf('@') < template.indexOf('#') };
    }),
  );

const relationSentences: Readonly<Record<string, readonly string[]>> = {
  ...privateRelations,
  ...publicRelations,
};
const relations = compile(relationSentences);
/** The first trait whose name fits the question counts, so the narrower names stand first. */
const traits = [...firstTraits, ...moreTraits];
const townRelations = compile(townSentences);

const readEdges = (parts: readonly string[], patterns: readonly Pattern[]): Edge[] =>
  parts.flatMap((part) =>
    patterns.flatMap(({ name, pattern, holderFirst }) => {
      const [, first, second] = part.match(pattern) ?? [];
      if (first === undefined || second === undefined) return [];
      return [holderFirst ? { name, holder: first, other: second } : { name, holder: second, other: first }];
    }),
  );

type Question = { traits: string[]; steps: string[]; town: string | undefined };

/** The question either walks forward ("Go on to …") or nests ("the boss of the cleaner of …"). */
const readQuestion = (question: string): Question => {
  const whole = question.replace(/\s+/g, ' ');
  const start = whole.match(/person who (.+?)(?:\. Go on|\?|\. (?:Which|Who|What)|, go on|$)/)?.[1] ?? '';
  const split = start.split(/ and (?=is\b|has\b|was\b|does\b|[a-z]+s\b)/);
  const walked = [...whole.matchAll(/[Gg]o on to the (.+?) (?:of|against) that person/g)].map(
    ([, step]) => step ?? '',
  );
  const lastTown = whole.match(/[Ww]h(?:ich|at) town is the (.+?) of (?:that|the)/)?.[1];
  if (walked.length > 0) return { traits: split, steps: walked, town: lastTown };
  const names = Object.keys(relationSentences).toSorted((a, b) => b.length - a.length);
  const nested = new RegExp(`\\b(${names.map(escapeRegExp).join('|')})\\b`, 'g');
  const asked = whole.split('?')[0] ?? whole;
  const steps = [...asked.replace(start, '').matchAll(nested)].map(([name]) => name);
  return { traits: split, steps: steps.toReversed(), town: lastTown };
};

const splitSentences = (text: string): string[] =>
  text.split(/(?<=[.!?])\s+/).map((part) => part.trim().replace(/\.$/, ''));

const orderPlaces = (
  groups: ReadonlyMap<string, readonly (readonly [string, string])[]>,
  isPlace: (name: string) => boolean,
): Map<string, (readonly [string, string])[]> =>
  new Map(
    [...groups].map(([wording, pairs]) => [
      wording,
      pairs.map(([first, second]) =>
        isPlace(first) ? ([first, second] as const) : ([second, first] as const),
      ),
    ]),
  );

const isQuestion = (paragraph: string): boolean =>
  /the person who|of that person|Go on to/.test(paragraph) && /\?|Go on to/.test(paragraph);

export const answerHops = (messages: Messages): string => {
  const text = userTexts(messages).at(-1) ?? '';
  const paragraphs = text.split(/\n\s*\n/);
  const question = paragraphs.findLast(isQuestion) ?? paragraphs.at(-1) ?? '';
  const parts = splitSentences(paragraphs.filter((paragraph) => paragraph !== question).join(' '));
  const { traits: wanted, steps, town } = readQuestion(question);
  const readTowns = readEdges(parts, townRelations);
  const places = new Set(readTowns.map(({ holder }) => holder));
  const readRelations = readEdges(parts, relations).filter(({ holder }) => !places.has(holder));
  const people = new Set(readRelations.flatMap(({ holder, other }) => [holder, other]));
  const isPerson = (name: string): boolean => people.has(name);
  const isMatched = (part: string): boolean =>
    [...relations, ...townRelations].some(({ pattern }) => pattern.test(part));
  const unread = parts.filter((part) => !isMatched(part));
  const roles = [...new Set([...steps, ...readRelations.map(({ name }) => name)])];
  const edges = inferEdges(
    readRelations,
    groupWordings(unread, isPerson, isPerson),
    roles,
    [true, false],
    people.size,
  );
  const isPlace = (name: string): boolean => places.has(name);
  const kinds = [...new Set([...(town === undefined ? [] : [town]), ...readTowns.map(({ name }) => name)])];
  const placed = groupWordings(unread, isPlace, isPerson);
  const towns = inferEdges(readTowns, orderPlaces(placed, isPlace), kinds, [true], people.size);
  const hasTrait = (person: string, trait: string): boolean => {
    const told = traits.find(({ name }) => name.test(trait))?.told;
    return told !== undefined && parts.some((part) => part.startsWith(`${person} `) && told.test(`${part}.`));
  };
  const walk = (person: string): { depth: number; end: string } => {
    let at = person;
    let depth = 0;
    for (const step of steps) {
      const next = edges.find(({ name, other }) => name === step && other === at);
      if (next === undefined) return { depth, end: at };
      at = next.holder;
      depth += 1;
    }
    if (town === undefined) return { depth, end: at };
    const place = towns.find(({ name, other }) => name === town && other === at);
    return place === undefined ? { depth, end: at } : { depth: depth + 1, end: place.holder };
  };
  const strangeParts = unread.filter((part) => !traits.some(({ told }) => told.test(`${part}.`)));
  const strange = count(strangeParts.map((part) => part.split(' ')[0] ?? ''));
  const ranked = [...people]
    .map((person) => {
      const { depth, end } = walk(person);
      const fitting = wanted.filter((trait) => hasTrait(person, trait)).length;
      const unknown = Math.min(wanted.length - fitting, strange.get(person) ?? 0);
      return { end, rank: fitting * 2 + unknown * 0.8 + depth / (steps.length + 1) };
    })
    .toSorted((a, b) => b.rank - a.rank);
  return `Answer: ${ranked[0]?.end ?? capitals(text)[0] ?? 'unknown'}`;
};
