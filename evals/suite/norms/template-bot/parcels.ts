import { count } from './text.ts';
import { ordinaryWords } from './vocabulary.ts';

export type Parcel = {
  mark: string;
  town: string;
  goods: string;
  weight: number;
  due: string;
  fragile: boolean;
};
type Found<T> = { value: T; index: number };

const months = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const monthName = '(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\\.?';
const datePattern = new RegExp(
  String.raw`(\d{4})-(\d\d)-(\d\d)|\b(\d{1,2})(?:st|nd|rd|th)?(?: day)?(?: of)? ${monthName},? (\d{4})|` +
    String.raw`\b${monthName} (?:the )?(\d{1,2})(?:st|nd|rd|th)?,? (\d{4})|\b(\d{1,2})\.(\d{1,2})\.(\d{4})`,
  'g',
);
const markPattern = /\b[A-Z]{2}-\d{3}\b/;
const markPatternAll = /\b[A-Z]{2}-\d{3}\b/g;
const monthWords = /^(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)/;

const harmless =
  /not fragile|nothing fragile|cannot (?:break|shatter)|unbreakable|robust|surviv(?:e|es) (?:any|a) fall|sturdy|no special care|without (?:any )?(?:harm|damage|breaking|hurting)|no harm|no need to|not need|impossible to break|nothing in it can|nothing breakable|nothing (?:in it )?(?:that )?(?:is |can be )?(?:fragile|broken|break)|safe to drop|may be dropped|can be dropped|not break\b|not hurt|throw (?:it|around)|could throw|may (?:be )?throw|no need of|stands? up to|far from|not (?:at all )?(?:delicate|breakable|easily)|nobody has to|knocks do nothing|did not have|takes? knocks|unharmed|does not mind|hard to break|needs no|nothing to it|never break|not called for|no gentle/i;
const notSurviving =
  /will not survive|never to be (?:thrown|dropped)|not to be (?:dropped|thrown)|must not be (?:dropped|thrown)|not (?:safe|sturdy|robust|unbreakable)|would not survive|not made for|cannot take|does not (?:stand|survive|take|like)/i;

export const readDates = (text: string): Found<string>[] =>
  [...text.matchAll(datePattern)].map((match) => {
    const [, y1, m1, d1, d2, name2, y2, name3, d3, y3, d4, m4, y4] = match;
    const month = m1 ?? m4 ?? String(months.indexOf((name2 ?? name3 ?? '').toLowerCase().slice(0, 3)) + 1);
    const day = d1 ?? d2 ?? d3 ?? d4 ?? '1';
    const value = `${y1 ?? y2 ?? y3 ?? y4}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
    return { value, index: match.index };
  });

const readWeights = (text: string): number[] =>
  [...text.matchAll(/\b(\d+) ?(?:kilos|kilograms|kilogrammes|kg|kilo)\b/g)].map(([, digits]) =>
    Number(digits),
  );

const isOrdinary = (word: string): boolean => ordinaryWords.has(word.toLowerCase());

export const readNames = (text: string): string[] =>
  (text.replace(markPatternAll, ' ').match(/\b[A-Z][a-z]{2,}\b/g) ?? []).filter(
    (word) => !isOrdinary(word) && !monthWords.test(word),
  );

const person = String.raw`[A-Z][a-z]+(?: of [A-Z][a-z]+)?`;
const personClauses: readonly RegExp[] = [
  new RegExp(String.raw`\bby (?!Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)${person}`, 'g'),
  new RegExp(
    String.raw`\b${person} (?:packed|carried|brought|took|signed|handed|received|wrapped|accepted)\b`,
    'g',
  ),
  new RegExp(String.raw`\b(?:from|of|thanks to) the hands? of ${person}`, 'g'),
];
const arrivalWords =
  /handed|depot|taken in|carried|packed|brought|signed|came in|arrived|received|accepted|here (?:on|since)|left with us/i;
const dueWords =
  /\bdue\b|deadline|by$|until|promised|needed|required|reach|arrive|after|wants|no later|deliver/i;

/** The first date that is not told of the parcel's arrival in the depot. */
const readDue = (text: string): string => {
  const dates = readDates(text);
  const isDue = ({ index }: Found<string>): boolean => {
    const before =
      text
        .slice(Math.max(0, index - 60), index)
        .split(/[.;,(]| and |\d{4}/)
        .at(-1) ?? '';
    return !arrivalWords.test(before) || (dueWords.test(before) && !/since|handed|signed/.test(before));
  };
  return (dates.find(isDue) ?? dates[0])?.value ?? '';
};

const goodsPatterns: readonly RegExp[] = [
  /\bsome ([a-z]+)\b/,
  /\basked for ([a-z]+) by\b/,
  /\bDeliver ([a-z]+) to\b/,
  /\bparcel of ([a-z]+)\b/,
  /\bThe ([a-z]+) in [A-Z]{2}-/,
  /\b(?:ordered|expects|waiting for|contents|containing|contains|contain) ([a-z]+)\b/,
  /\bwith ([a-z]+) (?:in|inside)\b/,
  /\b(?:in it|holds|[Ii]nside|gets) (?:is )?([a-z]+)/,
  /\bInside: ([a-z]+)/,
  /\b(?:full of|filled (?:it )?with|packed with|stuffed with|consists of|carries|holds|find|packed|declared as|box of) ([a-z]+)/,
  /\b(?:has|is|with|nothing but) ([a-z]+) (?:in|inside)\b/,
];

const readGoods = (text: string): string => {
  const found = goodsPatterns
    .map((pattern) => text.match(pattern)?.[1])
    .find((word) => word !== undefined && !isOrdinary(word));
  return found ?? (text.match(/(?<![A-Z-])\b[a-z]{2,}\b/g) ?? []).find((word) => !isOrdinary(word)) ?? '';
};

const starter =
  /^(?:\W*)(?:Somebody in|Someone in|[A-Z][a-z]+ (?:is waiting for|(?:ordered|wants|needs|asked for|expects) (?!it\b))|One parcel|Another|Here is|An order|Due on|There is a parcel|On the shelf|What [A-Z])/;

/** The sentences of each parcel; sentences of no parcel end up behind one, where they do no harm. */
const groupSentences = (lines: readonly string[]): string[] => {
  const groups: string[] = [];
  for (const line of lines) {
    const marks = new Set(line.match(markPatternAll) ?? []);
    if (marks.size <= 1) {
      if (marks.size === 1) groups.push(line);
      continue;
    }
    let pending: string[] = [];
    for (const sentence of line.split(/(?<=\.)\s+(?=[A-Z\d("–-])/)) {
      if (markPattern.test(sentence)) {
        groups.push([...pending, sentence].join(' '));
        pending = [];
      } else if (starter.test(sentence) || pending.length > 0) pending.push(sentence);
      else if (groups.length > 0) groups.push(`${groups.pop()} ${sentence}`);
    }
  }
  return groups;
};

const readParcel = (text: string, towns: ReadonlyMap<string, number>): Parcel => {
  const bare = personClauses.reduce((rest, clause) => rest.replace(clause, ' packed '), text);
  const names = readNames(bare);
  const frequent = names.find((name) => (towns.get(name) ?? 0) > 1);
  const fragileText = notSurviving.test(text);
  return {
    mark: text.match(markPattern)?.[0] ?? '',
    town: frequent ?? names[0] ?? '',
    goods: readGoods(bare.replace(/^\W+/, '')),
    weight: readWeights(text)[0] ?? 0,
    due: readDue(text),
    fragile: fragileText || !harmless.test(text),
  };
};

const less =
  /lighten|\bbelow\b|under its|\bless\b|lighter|subtract|goes down|went down|taken out|took|removed|falls|\blost\b|stays here|taken from|fewer|minus|\boff\b|deduct|reduce/i;
const more =
  /\babove\b|over its|make.* heavy|gained|\bmore\b|heavier|\badd\b|goes up|went up|further|topped|on top|another|increase|added|plus|extra/i;
const numbered = /^\s*(?:[([]?(?:No\. ?|#)?\d+(?:[)\].:]+| -)|[([]?[A-Za-z][)\].:]+)\s/;

/** Applies one of the later messages. */
const amend = (message: string, parcels: Map<string, Parcel>): void => {
  const text = message.replace(numbered, '');
  const marks = [...new Set(text.match(markPatternAll) ?? [])];
  const [first, second] = marks.map((mark) => parcels.get(mark));
  const names = [...new Set(readNames(text))];
  if (marks.length >= 2) {
    if (first === undefined || second === undefined) return;
    parcels.set(first.mark, { ...first, town: second.town });
    parcels.set(second.mark, { ...second, town: first.town });
    return;
  }
  if (marks.length === 0) {
    const [one, two] = names;
    if (one === undefined || two === undefined) return;
    const takesOver =
      /^[A-Z][a-z]+ (?:takes|gets|receives|inherits|will get|is to get)(?! nothing)|^(?:Send|Deliver|Bring|Take) to [A-Z]|instead of [A-Z]/.test(
        text,
      );
    const [from, to] = takesOver ? [two, one] : [one, two];
    for (const parcel of parcels.values()) {
      if (parcel.town === from) parcels.set(parcel.mark, { ...parcel, town: to });
    }
    return;
  }
  if (first === undefined) return;
  const dates = readDates(text).map(({ value }) => value);
  const weights = readWeights(text);
  const [oneWeight] = weights;
  const date = dates.find((value) => value !== first.due) ?? dates[0];
  const town = names.find((name) => name !== first.town) ?? names[0];
  if (date !== undefined) parcels.set(first.mark, { ...first, due: date });
  else if (weights.length > 1) {
    parcels.set(first.mark, {
      ...first,
      weight: weights.find((value) => value !== first.weight) ?? first.weight,
    });
  } else if (oneWeight !== undefined) {
    const sign = less.test(text) ? -1 : more.test(text) ? 1 : 0;
    parcels.set(first.mark, { ...first, weight: sign === 0 ? oneWeight : first.weight + sign * oneWeight });
  } else if (town !== undefined) parcels.set(first.mark, { ...first, town });
  else parcels.delete(first.mark);
};

/** The parcels of the notes as they are after all later messages. */
export const readParcels = (body: string): Parcel[] => {
  const lines = body.split('\n').filter((line) => line.trim() !== '');
  const firstMessage = lines.findIndex(
    (line, index) => numbered.test(line) && lines.slice(0, index).some((before) => markPattern.test(before)),
  );
  const notes = firstMessage < 0 ? lines : lines.slice(0, firstMessage);
  const messages = firstMessage < 0 ? [] : lines.slice(firstMessage).filter((line) => numbered.test(line));
  const groups = groupSentences(notes);
  const towns = count(groups.flatMap((group) => [...new Set(readNames(group))]));
  const parcels = new Map<string, Parcel>();
  for (const group of groups) {
    const parcel = readParcel(group, towns);
    if (!parcels.has(parcel.mark)) parcels.set(parcel.mark, parcel);
  }
  for (const message of messages) amend(message, parcels);
  return [...parcels.values()];
};
