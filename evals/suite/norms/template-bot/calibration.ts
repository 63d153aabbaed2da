import { type Figure, elsewhen, figures, roles, sourceFirst } from './places.ts';
import { type Messages, mostFrequent, userTexts } from './text.ts';

type Claims = Map<string, { stated: Set<string>; withdrawn: Set<string> }>;

/** Where a correction puts what was false (F) and what is true (T). */
const corrections: readonly { pattern: RegExp; order: 'FT' | 'TF' | 'F' | 'T' }[] = [
  {
    pattern: /^An earlier edition of this \w+ said that (.+); that was a mistake, and in fact (.+)$/,
    order: 'FT',
  },
  {
    pattern: /^It was printed here before that (.+), but this is withdrawn, and what holds is that (.+)$/,
    order: 'FT',
  },
  { pattern: /used to say here that (.+), whereas the truth is that (.+)$/, order: 'FT' },
  {
    pattern: /^It is not true that (.+), as was once written here; the true state of affairs is that (.+)$/,
    order: 'FT',
  },
  { pattern: /previous edition that (.+) should know that this was false and that (.+)$/, order: 'FT' },
  { pattern: /in which one can read that (.+): they are wrong, and really (.+)$/, order: 'FT' },
  { pattern: /formerly believed, namely that (.+), it has turned out that (.+)$/, order: 'FT' },
  { pattern: /^A check has shown that (.+), so the old claim that (.+) is to be forgotten$/, order: 'TF' },
  { pattern: /mistaken when it said that (.+), since (.+)$/, order: 'FT' },
  { pattern: /^That (.+) was a slip of the pen.*, and a check has shown that (.+)$/, order: 'FT' },
  { pattern: /^(.+); the statement in an earlier edition that (.+) was an error$/, order: 'TF' },
  { pattern: /wrongly stated that (.+)$/, order: 'F' },
  { pattern: /^We used to write that (.+)$/, order: 'F' },
  { pattern: /^An old draft had it that (.+)$/, order: 'F' },
  { pattern: /namely that (.+), was false$/, order: 'F' },
  { pattern: /^Correction: (.+)$/, order: 'T' },
  { pattern: /for what is true is that (.+)$/, order: 'T' },
  { pattern: /^This has been put right as follows: (.+)$/, order: 'T' },
];

type Statement = { text: string; isTrue: boolean };

const correctionCue =
  /\b(?:edition|editions|mistaken?|error|wrong(?:ly)?|falsely|withdrawn|erratum|misprint|slip of the pen|put right)\b/i;
const trueCue = /in fact|in truth|correct|\btrue\b|truth|right|really|actually|holds|instead|should/i;

/** A correction in a wording that no pattern knows: what follows a word of truth is true. */
const readCorrection = (sentence: string): Statement[] =>
  sentence
    .split(
      /(?=\bthat (?:the |[A-Z#\d]|at |on |in |last |every |there |all |it ))|; |, (?:but|since|whereas|and) /,
    )
    .map((text, index, all) => ({ text, before: index === 0 ? '' : (all[index - 1] ?? '') }))
    .map(({ text, before }) => ({
      text: text.replace(/^that /, ''),
      isTrue: trueCue.test(before) && !/not (?:true|right|correct)/.test(before),
    }));

const readStatements = (sentence: string): Statement[] => {
  for (const { pattern, order } of corrections) {
    const [, first, second] = sentence.match(pattern) ?? [];
    if (first === undefined) continue;
    return [first, second].flatMap((text, index) =>
      text === undefined ? [] : [{ text, isTrue: order[index] === 'T' }],
    );
  }
  if (correctionCue.test(sentence) && !/slept by mistake/.test(sentence)) return readCorrection(sentence);
  return [{ text: sentence, isTrue: true }];
};

const add = (claims: Claims, key: string, value: string, isTrue: boolean): void => {
  const claim = claims.get(key) ?? { stated: new Set(), withdrawn: new Set() };
  (isTrue ? claim.stated : claim.withdrawn).add(value);
  claims.set(key, claim);
};

/** The one value that stands, if the text settles it. */
const settled = (claims: Claims, key: string): string | undefined => {
  const claim = claims.get(key);
  if (claim === undefined) return undefined;
  const left = [...claim.stated].filter((value) => !claim.withdrawn.has(value));
  const standing = left.length > 0 ? left : [...claim.stated];
  return standing.length === 1 ? standing[0] : undefined;
};

const leaderPatterns: readonly RegExp[] = [
  new RegExp(`^([A-Z][a-z]+) is the (?:${roles}) of P`),
  new RegExp(`(?:${roles}) of P is (?:called )?([A-Z][a-z]+)$`),
  new RegExp(`^P has ([A-Z][a-z]+) as its (?:${roles})`),
  new RegExp(`at P the (?:${roles}) is called ([A-Z][a-z]+)`, 'i'),
  /^P is (?:managed|directed|run|led|owned|kept) by ([A-Z][a-z]+)$/,
  /^P belongs to ([A-Z][a-z]+)$/,
  /^([A-Z][a-z]+) (?:heads|governs|is in charge of|is at the head of|has charge of) P$/,
  /^P is (?:headed|governed|in the hands of|in the charge of) (?:by )?([A-Z][a-z]+)$/,
  /^(?:It is |Nobody but |it is |nobody but )?([A-Z][a-z]+) (?:who )?(?:directs|owns|manages|runs|leads|keeps) P$/,
  /^As its [a-z ]+, P has ([A-Z][a-z]+)$/i,
  /of P the owners have appointed ([A-Z][a-z]+)$/,
  new RegExp(`of P are under ([A-Z][a-z]+), the (?:${roles})`),
  new RegExp(`of P have ([A-Z][a-z]+) as their (?:${roles})`),
  new RegExp(`^P is under ([A-Z][a-z]+), its (?:${roles})`),
];

const findKind = (text: string): string => {
  const kinds = [...text.matchAll(/\b[A-Z][a-z]+ ([A-Z][a-z]+)\b/g)].map(([, kind]) => kind ?? '');
  return mostFrequent(kinds.filter((kind) => kind in figures)) ?? mostFrequent(kinds) ?? '';
};

const units = /^(?:metres|kilograms|thalers|days|litres|hours|miles|tons|years|total|feet|barrels a)$/;

/** For a kind of place that no table knows, each noun that the questions ask for is a figure. */
const guessFigures = (questions: readonly string[]): Figure[] => {
  const nouns = questions.flatMap((question) => {
    const text = question
      .replace(/,? in (?:metres|kilograms|thalers|days|litres|hours|total),?/g, ' ')
      .replace(/\s+/g, ' ');
    const counted = text.match(/(?:how many|number of) ([a-z]+)/i)?.[1];
    const named = text.match(/\b(?:of|is|was|did) the (?:[a-z]+est |newest |main )?([a-z]+)\b/)?.[1];
    const noun = counted !== undefined && !units.test(counted) ? counted : named;
    return noun === undefined || units.test(noun) ? [] : [noun.replace(/s$/, '')];
  });
  return [...new Set(nouns)].map((noun) => {
    const pattern = new RegExp(`\\b${noun}s?\\b`, 'i');
    return { told: pattern, asked: pattern };
  });
};

/** The roles that the questions speak of, such as "abbot" in "whose abbot is …". */
const askedRoles = (questions: readonly string[]): string[] => {
  const text = questions.join(' ');
  const patterns = [
    /whose ([a-z ]+?) is [A-Z]/g,
    /has [A-Z][a-z]+ as its ([a-z ]+?)[,?]/g,
    /with [A-Z][a-z]+ as (?:its )?([a-z ]+?)[,?]/g,
  ];
  return [
    ...new Set(patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([, role]) => role ?? ''))),
  ];
};

const findLeader = (bare: string, extraRoles: readonly string[]): string | undefined => {
  const known = leaderPatterns.map((pattern) => bare.match(pattern)?.[1]).find((name) => name !== undefined);
  if (known !== undefined) return known;
  const role = extraRoles.find((one) => new RegExp(`\\b${one}\\b`).test(bare));
  return role === undefined ? undefined : (bare.match(/\b(?!At\b|The\b|As\b|In\b)[A-Z][a-z]+\b/) ?? [])[0];
};

const readClaims = (
  text: string,
  kind: string,
  kindFigures: readonly Figure[],
  extraRoles: readonly string[],
): Claims => {
  const claims: Claims = new Map();
  const place = new RegExp(`\\b(?:[Tt]he )?([A-Z][a-z]+) ${kind}\\b`, 'g');
  for (const sentence of text.split(/(?<=[.?!])\s+|\n/)) {
    for (const { text: statement, isTrue } of readStatements(sentence.replace(/[.]$/, ''))) {
      const [first, second] = [...statement.matchAll(place)].map(([, name]) => name ?? '');
      if (first === undefined) continue;
      const bare = statement.replace(place, 'P');
      if (second !== undefined) {
        const [from, to] = sourceFirst.test(bare) ? [second, first] : [first, second];
        add(claims, `link ${from}`, to, isTrue);
        continue;
      }
      const number = bare.match(/\d+/)?.[0];
      if (number === undefined) {
        const leader = findLeader(bare, extraRoles);
        if (leader !== undefined) add(claims, `place ${leader}`, first, isTrue);
        continue;
      }
      const shape = bare.replace(/\d+/g, '#');
      if (elsewhen.test(shape)) continue;
      const index = kindFigures.findIndex(({ told, not }) => told.test(shape) && not?.test(shape) !== true);
      if (index >= 0) add(claims, `${index} ${first}`, number, isTrue);
    }
  }
  return claims;
};

/** Resolves "the mine that takes the water of the mine that X manages" and the like. */
const resolvePlace = (expression: string, kind: string, claims: Claims): string | undefined => {
  const named = expression.match(new RegExp(`\\b([A-Z][a-z]+) ${kind}\\b`))?.[1];
  const links = [...expression.matchAll(new RegExp(`\\b${kind.toLowerCase()}\\b(?! masters?)`, 'g'))].length;
  const person = expression.match(/(?<=[a-z,] )(?:[A-Z][a-z]+)/)?.[0];
  let place = named ?? (person === undefined ? undefined : settled(claims, `place ${person}`));
  for (let step = named === undefined ? 1 : 0; step < links && place !== undefined; step += 1) {
    place = settled(claims, `link ${place}`);
  }
  return place;
};

const answerQuestion = (
  question: string,
  kind: string,
  kindFigures: readonly Figure[],
  claims: Claims,
): string => {
  const index = kindFigures.findIndex(({ asked }) => asked.test(question));
  const joint = new RegExp(`^(.*?\\b[A-Z][a-z]+ ${kind}) and (?=the |[A-Z])(.*)$`);
  const [, one, other] = question.match(joint) ?? [];
  const expressions = one === undefined || other === undefined ? [question] : [one, other];
  let total = 0;
  for (const expression of expressions) {
    // A total that names its first place after a relative clause keeps the words before it.
    const place = resolvePlace(expression, kind, claims);
    const value = place === undefined ? undefined : settled(claims, `${index} ${place}`);
    if (value === undefined) return 'unknown';
    total += Number(value);
  }
  return String(total);
};

export const answerCalibration = (messages: Messages): string => {
  const text = userTexts(messages).at(-1) ?? '';
  const kind = findKind(text);
  const lines = text.split('\n').map((line) => line.trim());
  const questions = lines.filter((line) => /^\S{0,12}\s?\d+\s?[).:\]]+\s/.test(line) && line.includes('?'));
  const statements = lines.filter((line) => !questions.includes(line)).join('\n');
  const kindFigures = figures[kind] ?? guessFigures(questions);
  const claims = readClaims(statements, kind, kindFigures, askedRoles(questions));
  const answers = questions.map((question) =>
    answerQuestion(question.replace(/^\S{0,12}\s?\d+\s?[).:\]]+\s+/, ''), kind, kindFigures, claims),
  );
  return `Answer: ${answers.join(', ')}`;
};
