import { type Messages, capitals, count, escapeRegExp, userTexts } from './text.ts';

type Entry = { line: string; carrier: string; gate: string; way: string; receipt: string; struck: boolean };

const struckMarks = /struck|crossed|line is drawn|stroke of the pen|deleted|cancelled|\bvoid\b/i;
const templateWords =
  /^(?:toll|receipt|under|gave|seen|arrived|crossed|struck|gate|north|south|east|west|garden|river|bridge|market|the|for|this|what|word)$/i;
const receiptPatterns: readonly RegExp[] = [
  /receipt says ([a-z]+)/,
  /\breceipt(?: word)?:? (?!is\b|says\b|word\b)([a-z]+)/i,
  /\b[Uu]nder ([a-z]+) we/,
  /\bwords? (?!is\b)([a-z]+)/,
  /\bgiven ([a-z]+)/,
  /\b(?:got|received|handed|with) ([a-z]+)\.?$/,
];

const findGate = (text: string): string => text.match(/\b(\w+) gate\b/i)?.[1]?.toLowerCase() ?? '';
const findWay = (text: string): string =>
  text.match(
    /\b(?:by|on|as the way,) (?:a )?(?:by |on )?(?:a )?(foot|mule|cart|barge|sledge|horse|camel|wagon|donkey)\b/i,
  )?.[1] ??
  text.match(/\b(foot|mule|cart|barge|sledge|horse|wagon|donkey)\b/i)?.[1] ??
  '';

const descriptionPatterns: readonly RegExp[] = [
  /comes [A-Z]\w+ with (.*?), to the/,
  /brings (.*?) to the \w+ gate/,
  /delivers (.*?) (?:on|by) (?:a )?\w+\. R/,
  /For (.*?) brought (?:on|by)/,
  /Toll for (.*?) was paid/,
  /Receipt \w+: (.*?), brought/,
  / gate for (.*?) that came/,
  /who took (.*?) (?:on|by) (?:a )?\w+ to the/,
  /we entered (.*?) from [A-Z]/,
  /loaded with (.*?);/,
  /to declare (.*?) and got/,
  / gate: (.*?), carrier/,
  / gate - (.*?) - (?:on|by)/,
  /come (?:on|by) (?:a )?\w+ with (.*?) to the/,
  / gate with (.*?)[.(]/,
  /^(?:\W*(?:struck|crossed|this)[^A-Z]*)?([A-Z].*?) at the \w+ gate, carried/,
];

const struckPrefix =
  /^\W*(?:struck(?: out| from the log)?|crossed out|this (?:line|entry)[^:]*|void|deleted)\W+/i;

const describe = (line: string): string => {
  const text = line.replace(struckPrefix, '');
  for (const pattern of descriptionPatterns) {
    const found = text.match(pattern)?.[1];
    if (found !== undefined) return found.toLowerCase();
  }
  return text;
};

const readEntry = (line: string, carriers: ReadonlySet<string>): Entry => {
  let receipt = '';
  for (const pattern of receiptPatterns) {
    receipt = line.match(pattern)?.[1] ?? '';
    if (receipt !== '') break;
  }
  const carrier = capitals(line).find((word) => carriers.has(word)) ?? '';
  return { line, carrier, gate: findGate(line), way: findWay(line), receipt, struck: struckMarks.test(line) };
};

const findCarriers = (lines: readonly string[]): Set<string> => {
  const names = count(
    lines.flatMap((line) => [...new Set(capitals(line))].filter((word) => !templateWords.test(word))),
  );
  const middle = new Set(
    lines.flatMap((line) => [...line.matchAll(/[a-z,;-] ([A-Z][a-z]+)/g)].map(([, name]) => name)),
  );
  return new Set([...names.keys()].filter((name) => middle.has(name) || /^[A-Z][a-z]+ brings/m.test(name)));
};

export const answerTwins = (messages: Messages): string => {
  const text = userTexts(messages).at(-1) ?? '';
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const log = lines.filter(
    (line) => /\bgate\b/i.test(line) && /receipt|word|given|under/i.test(line) && line.length < 260,
  );
  const carriers = findCarriers(log);
  const question =
    lines.findLast((line) => /\d+(?:st|nd|rd|th)|number \d+/.test(line) && /\bgate\b/.test(line)) ?? '';
  const entries = log.filter((line) => line !== question).map((line) => readEntry(line, carriers));
  const asked = question.split(/(?:\. |\? )(?=[A-Z][^.?]*(?:"Answer|last line|Answer:))/)[0] ?? question;
  const carrier = capitals(asked).find((word) => carriers.has(word)) ?? '';
  const gate = findGate(asked);
  const way = findWay(asked);
  const fitting = entries.filter(
    (entry) => entry.carrier === carrier && entry.gate === gate && entry.way === way,
  );
  // The goods of the question are told in two ways, and no other goods are so frequent there.
  const frequent = [...count(fitting.map(({ line }) => describe(line)))]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, 2);
  const wanted = frequent.map(([description]) => new RegExp(`\\b${escapeRegExp(description)}(?![a-z])`, 'i'));
  const matches = fitting.filter(
    ({ line, struck }) => !struck && wanted.some((pattern) => pattern.test(line)),
  );
  const position = Number(
    asked.match(/\b(\d+)(?:st|nd|rd|th)\b/)?.[1] ?? asked.match(/number (\d+)/)?.[1] ?? 1,
  );
  const backwards =
    /from (?:the|its) (?:end|bottom|last)|backwards|from the bottom|starts? at the (?:bottom|end)|counted from its end|from (?:the )?(?:back|below)|upwards/i.test(
      asked,
    );
  const chosen = backwards ? matches.at(-position) : matches[position - 1];
  return `Answer: ${chosen?.receipt ?? matches.at(0)?.receipt ?? 'unknown'}`;
};
