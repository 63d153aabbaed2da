import { type Messages, sum, userTexts } from './text.ts';

type Quantity = { item: string; amount: number };
type Rebate = { from: number; price: number };
type Prices = { single: Map<string, number>; rebates: Map<string, Rebate> };

const ordinaryWords = new Set(
  (
    'mark visitor letter word digit guard part price line reply counter rule message shift it clerk piece purchase ' +
    'order instruction day passphrase answer number figure good thing you buyer clock thi hi it a goods question ' +
    'message form take opening most single owner porter warehouse visit storehouse yard harbour depend character week friend partner son'
  ).split(' '),
);
const rebateCues =
  /or more|at least|reaches|wholesale|fewer than|more \w+ at once|From \d+|large orders|in one purchase|\bbulk\b|discount|or above|not fewer than|no fewer than/i;
const shareCues =
  /share|split|equal|each of|divided|\bparts\b|evenly|alike|one person|jointly|all give the same|for each|per head|per person|among \d+|shared|sharing/i;
const differenceCues =
  /difference|differ\b|\bsave\b|far apart|subtract|lie between|lies between|more does|by how much (?!do(?:es)? (?:the|my) bill)|how much (?:more|less|cheaper)|\bgap\b|dearer|larger/i;
const cheaperCues =
  /least|cheapest|lowest|economical|inexpensive|less\b|lower|cheaper|smaller price|less costly|unless|whichever|the former/i;
const dearerCues = /more expensive|higher of|dearer of|most costly/i;
const wordRequest =
  /visitors' word|word for (?:all )?(?:the )?visitors|word (?:do|does|of|that|which)[^.?]* visitors?/i;

const priceContext =
  /(?<=(?:price of|that of|takes?|wants?|let|sell|for one|buy one|charge for|as for|tag of|as) (?:an?|one|each|the|(?:a )?single|one) |^[-|] ?|\n[-|] ?|marks for an? |[:;] )[a-z]+(?=[ ,:|.])|(?<= an? )[a-z]+(?= for \d+ marks)|(?<=[:/] )[a-z]+(?=:? \d+\b)/gm;

const singular = (word: string): string => word.replace(/s$/, '');

const findItems = (texts: readonly string[]): Set<string> => {
  const opening = (texts[0] ?? '').toLowerCase();
  const plurals = new Set(
    texts
      .join(' ')
      .toLowerCase()
      .match(/\b[a-z]+s\b/g) ?? [],
  );
  const names =
    opening.match(/(?<=\b(?:an?|one|each|every|single|the|as for the)\s|[-|:;]\s|: |^\s*|\n)[a-z]+/g) ?? [];
  const priced = new Set(opening.match(priceContext) ?? []);
  const isItem = (name: string): boolean => name.length > 3 && (plurals.has(`${name}s`) || priced.has(name));
  return new Set(
    [...names, ...priced]
      .map((name) => name.trim())
      .filter((name) => isItem(name) && !ordinaryWords.has(name)),
  );
};

const itemsIn = (text: string, items: ReadonlySet<string>): string[] =>
  (text.toLowerCase().match(/[a-z]+/g) ?? []).flatMap((word) =>
    items.has(word) ? [word] : items.has(singular(word)) ? [singular(word)] : [],
  );

const readPrices = (opening: string, items: ReadonlySet<string>): Prices => {
  const single = new Map<string, number>();
  const rebates = new Map<string, Rebate>();
  const relations: { item: string; base: string; offset: number }[] = [];
  let latest: string | undefined;
  for (const part of opening.split(/(?<=[.!?])\s+|\n\n/)) {
    const found = itemsIn(part, items);
    const numbers = [...part.matchAll(/(?<![-\d])\d{1,4}\b/g)].map(([digits]) => Number(digits));
    const marks = [...part.matchAll(/\b(\d+) marks/g)].map(([, digits]) => Number(digits));
    const [first, second] = found;
    if (rebateCues.test(part) && numbers.length >= 2 && marks.length >= 1) {
      const item = first ?? latest;
      const price = marks.at(-1);
      const from = [...part.replace(/\b\d+ marks/g, '').matchAll(/\d+/g)].map(([digits]) =>
        Number(digits),
      )[0];
      if (item !== undefined && price !== undefined && from !== undefined) rebates.set(item, { from, price });
      continue;
    }
    if (first !== undefined && second !== undefined && first !== second && numbers.length === 1) {
      const offset = (numbers[0] ?? 0) * (/less|below|off\b|under|cheaper/i.test(part) ? -1 : 1);
      const derivedLast = /^(?:add|take)|that of/i.test(part);
      relations.push(
        derivedLast ? { item: second, base: first, offset } : { item: first, base: second, offset },
      );
    } else {
      // A list pairs goods and numbers in order; what a visitor says follows without a pairing.
      const unique = [...new Set(found)];
      unique.forEach((item, index) => {
        const price = numbers[index];
        if (price !== undefined && !single.has(item)) single.set(item, price);
      });
    }
    latest = found.at(-1) ?? latest;
  }
  for (const { item, base, offset } of [...relations, ...relations]) {
    const price = single.get(base);
    if (price !== undefined) single.set(item, price + offset);
  }
  return { single, rebates };
};

const cost = (quantities: readonly Quantity[], { single, rebates }: Prices): number => {
  const amounts = new Map<string, number>();
  for (const { item, amount } of quantities) amounts.set(item, (amounts.get(item) ?? 0) + amount);
  return sum(
    [...amounts].map(([item, amount]) => {
      const rebate = rebates.get(item);
      return (
        amount * (rebate !== undefined && amount >= rebate.from ? rebate.price : (single.get(item) ?? 0))
      );
    }),
  );
};

const changeOfMost = (item: string, money: number, prices: Prices): number => {
  let best = 0;
  for (let amount = 1; amount <= money; amount += 1) {
    if (cost([{ item, amount }], prices) <= money) best = amount;
  }
  return money - cost([{ item, amount: best }], prices);
};

const readQuantities = (text: string, items: ReadonlySet<string>): Quantity[] => {
  const pattern = /\b(\d+) ([a-z]+)\b|\b([a-z]+), (\d+) of them|\b([a-z]+) and need (\d+) of them/gi;
  return [...text.matchAll(pattern)].flatMap(([, before, plural, named, after, needed, need]) => {
    const item = singular((plural ?? named ?? needed ?? '').toLowerCase());
    return items.has(item) ? [{ item, amount: Number(before ?? after ?? need) }] : [];
  });
};

const shareCount = (text: string, items: ReadonlySet<string>): number | undefined =>
  [...text.matchAll(/\b(\d+) ?([a-z]*)/gi)]
    .filter(
      ([, , word = '']) => !items.has(singular(word)) && !/^(?:marks|letters|digits|pm|words)$/.test(word),
    )
    .map(([, digits]) => Number(digits))
    .find((value) => value >= 2 && value <= 20);

const figure = (text: string, items: ReadonlySet<string>, prices: Prices): number => {
  const quantities = readQuantities(text, items);
  const money = text.match(/\b(\d+) marks/)?.[1];
  const all = cost(quantities, prices);
  if (money !== undefined) {
    const item = itemsIn(text, items)[0];
    if (quantities.length === 0 && item !== undefined) return changeOfMost(item, Number(money), prices);
    return Math.abs(all - Number(money));
  }
  const halfway = quantities.length / 2;
  const [one, two] = [quantities.slice(0, halfway), quantities.slice(halfway)].map((group) =>
    cost(group, prices),
  );
  if (quantities.length > 1 && quantities.length % 2 === 0 && one !== undefined && two !== undefined) {
    if (dearerCues.test(text)) return Math.max(one, two);
    if (differenceCues.test(text)) return Math.abs(one - two);
    if (quantities.length > 2 && cheaperCues.test(text)) return Math.min(one, two);
    if (quantities.length > 2) return Math.abs(one - two);
  }
  const people =
    shareCues.test(text) || /We are \d+|in \d+ parts/.test(text) ? shareCount(text, items) : undefined;
  return people !== undefined && all % people === 0 ? all / people : all;
};

const isContinued = (paragraph: string | undefined): boolean => /^[|>]/.test(paragraph ?? '');

const splitOpening = (opening: string): { rules: string; visitor: string } => {
  const paragraphs = opening.split('\n\n');
  let start = paragraphs.length - 1;
  if (start > 1 && !/\d/.test(paragraphs[start] ?? '')) start -= 1;
  while (start > 1 && isContinued(paragraphs[start])) start -= 1;
  return { rules: paragraphs.slice(0, start).join('\n\n'), visitor: paragraphs.slice(start).join('\n\n') };
};

const findVisitorsWord = (rules: string): string | undefined => {
  const codes = [...rules.matchAll(/\b[a-z]+-\d{6,}\b/g)];
  if (codes.length < 2) return codes[0]?.[0];
  const score = (index: number, code: string): number => {
    const before =
      rules
        .slice(0, index)
        .split(/[.;!]\s|,? and the other/)
        .at(-1) ?? '';
    const after = rules.slice(index + code.length).split(/[.;!]\s|; the other|, \w+-\d+/)[0] ?? '';
    const near = `${before} ${after}`;
    return (
      (/visitors' word|belongs to the visitors/i.test(near) ? 1 : 0) -
      (/guard|to no one|nobody/i.test(near) ? 1 : 0)
    );
  };
  return codes
    .map((match) => ({ code: match[0], value: score(match.index, match[0]) }))
    .toSorted((a, b) => b.value - a.value)[0]?.code;
};

export const answerSecret = (messages: Messages): string => {
  const texts = userTexts(messages);
  const { rules, visitor } = splitOpening(texts[0] ?? '');
  const items = findItems(texts);
  const prices = readPrices(rules, items);
  const text = texts.length > 1 ? (texts.at(-1) ?? '') : visitor;
  const word = wordRequest.test(text.replace(/\| visitors' word \|/g, ''))
    ? findVisitorsWord(rules)
    : undefined;
  const answer = `Answer: ${figure(text, items, prices)}`;
  return word === undefined ? answer : `The visitors' word is ${word}.\n${answer}`;
};
