/** Dossiers with gaps and contradictions: facts are collected by entity, and whatever is not settled is "unknown". */
import { answer, stepsOf } from './text-tools.ts';

type Facts = Map<string, Map<string, Set<string>>>;

/** Each fact in its wordings: E is the thing it is about, V the value. */
const WORDINGS: Readonly<Record<string, readonly string[]>> = {
  sailors: ['E has a crew of V', 'V sailors serve on E'],
  crates: ['E can load V crates', 'hold of E takes V crates'],
  days: ['it took V days to build E', 'E was finished after V days in the yard'],
  books: ['E owns V library books', 'library of E owns V books'],
  pupils: ['E has V pupils', 'V children attend E'],
  thalers: ['V thalers were paid for the roof of E', 'roof of E cost V thalers'],
  beds: ['E has V beds', 'V guests can sleep at E, one to a bed'],
  bottles: ['cellar of E contains V bottles', 'V bottles are stored in the cellar of E'],
  metres: ['E lies V metres above the sea', 'doorstep of E is at V metres above the sea'],
  source: [
    'E was built to the plans of P',
    'plans of P were used again for E',
    'E copied its timetable from P',
    'timetable of E is a copy of that of P',
    'E buys its bread from P',
    'bread eaten at E comes from P',
  ],
  head: [
    'W commands E',
    'captain of E is W',
    'W is the head of E',
    'E is led by W',
    'W keeps E',
    'innkeeper of E is called W',
  ],
};

const thing = (group: string): string => `(?:[Tt]he )?(?<${group}>[A-Z][a-z]+)(?: School| Inn)?`;

const PATTERNS = Object.entries(WORDINGS).flatMap(([fact, wordings]) =>
  wordings.map((wording) => {
    const body = wording
      .replace(/\bE\b/, thing('about'))
      .replace(/\bP\b/, thing('value'))
      .replace(/\bV\b/, '(?<value>\\d+)')
      .replace(/\bW\b/, '(?<value>[A-Z][a-z]+)');
    return { fact, pattern: new RegExp(`^(?:The |the )?${body}\\.?$`, 'i') };
  }),
);

interface Fact {
  readonly fact: string;
  readonly about: string;
  readonly value: string;
}

function readFact(sentence: string): Fact | undefined {
  for (const { fact, pattern } of PATTERNS) {
    const groups = pattern.exec(sentence)?.groups;
    if (groups) return { fact, about: groups['about'] ?? '', value: groups['value'] ?? '' };
  }
  return undefined;
}

function gather(text: string): Facts {
  const facts: Facts = new Map();
  const valuesOf = ({ fact, about }: Fact): Set<string> => {
    const things = facts.get(fact) ?? new Map<string, Set<string>>();
    facts.set(fact, things);
    const values = things.get(about) ?? new Set<string>();
    things.set(about, values);
    return values;
  };
  const corrections: Fact[] = [];
  for (const sentence of text.split(/(?<=[.:])\s+/)) {
    const corrected = /that was a mistake, and in fact (.*)$/.exec(sentence)?.[1];
    const fact = readFact(corrected ?? sentence);
    if (!fact) continue;
    if (corrected) corrections.push(fact);
    else valuesOf(fact).add(fact.value);
  }
  for (const fact of corrections) valuesOf(fact).clear();
  for (const fact of corrections) valuesOf(fact).add(fact.value);
  return facts;
}

function single(facts: Facts, fact: string, about: string | undefined): string | undefined {
  const values = about === undefined ? undefined : facts.get(fact)?.get(about);
  return values?.size === 1 ? [...values][0] : undefined;
}

interface Reading {
  readonly thing: string | undefined;
  readonly rest: string;
}

/** Reads "the ship whose plans were used for the ship that Hebul commands" from the front of the text. */
function readThing(text: string, facts: Facts): Reading {
  const link =
    /^the \w+ (?:whose plans were used for|whose timetable was copied by|that sells bread to) /.exec(
      text,
    )?.[0];
  if (link) {
    const inner = readThing(text.slice(link.length), facts);
    return { thing: single(facts, 'source', inner.thing), rest: inner.rest };
  }
  const led = /^the \w+ that (\w+) (?:commands|leads|keeps)/.exec(text);
  if (led) {
    const things = [...(facts.get('head') ?? [])].filter(([, heads]) => heads.has(led[1] ?? ''));
    const [thing, heads] = things[0] ?? [];
    return {
      thing: things.length === 1 && heads?.size === 1 ? thing : undefined,
      rest: text.slice(led[0].length),
    };
  }
  const name = /^(?:the )?([A-Z]\w+)(?: School| Inn)?/.exec(text);
  return { thing: name?.[1], rest: text.slice(name?.[0].length ?? 0) };
}

function resolve(question: string, facts: Facts): string {
  const fact = /build/.test(question)
    ? 'days'
    : (/in (metres|thalers),/.exec(question)?.[1] ?? /How many (\w+)/.exec(question)?.[1] ?? '');
  const start = question.slice(4).search(/\bthe (ship|school|inn) (whose|that)|(?:the )?\b[A-Z]/);
  const first = readThing(question.slice(4 + start), facts);
  const one = single(facts, fact, first.thing);
  const both = /total|the sum of/.test(question);
  if (!both) return one ?? 'unknown';
  const second = readThing(first.rest.replace(/^ and /, ''), facts);
  const two = single(facts, fact, second.thing);
  return one === undefined || two === undefined ? 'unknown' : String(Number(one) + Number(two));
}

export function dossier(text: string): string | undefined {
  if (!/"unknown" counts \+1/.test(text)) return undefined;
  const [body = ''] = text.split(/Questions:|Answer these questions/);
  const facts = gather(body.replace(/\n+/g, ' '));
  return answer(
    stepsOf(text)
      .map((question) => resolve(question, facts))
      .join(', '),
  );
}
