/**
 * A report from a brief: each fact in a paragraph of its own, in order, with totals, and nothing that is not in the
 * brief. The notes describe goods by phrases, and the report must call them by the words of a list.
 */
import type { Check } from '../../eval-case.ts';
import { quote } from '../../graders/grader.ts';
import { gradeAll } from '../../grading/grade-checks.ts';
import { readParagraphs, wordsOf } from '../../grading/read-writing.ts';
import { firstDraft } from '../../language/draft.ts';
import { listOf } from '../../language/sentence.ts';
import { drawWording, fillIn } from '../../language/wordings.ts';
import type { Random } from '../../../random.ts';
import type { Kind, TaskGrade } from '../../task.ts';
import { type Brief, drawBrief, type Fact } from './brief-facts.ts';
import wordings from './brief-wordings.json' with { type: 'json' };

const minDifferentShare = 0.6;
const maxParagraphs = 40;
/** Words that hold sentences together; a list of names and figures has hardly any of them. */
const bindingWords = new Set(
  'a all also an and are as at but by can for from had has have here in is it its made makes more of on or over she he that the their them there these they this to under up was were where which while who whose will with'.split(
    ' ',
  ),
);
const minBindingShare = 0.2;

export const briefKind: Kind = {
  name: 'brief',
  make(random, level) {
    const brief = firstDraft(() => drawBrief(random, level));
    const prompt = describe(random, brief);
    // A note may have a name in its possessive only.
    const names = brief.facts.flatMap(({ town, keeper }) => [town, keeper]);
    const known = new Set(wordsOf([prompt, ...names].join(' ')));
    const paragraphs = solve(brief);
    const text = paragraphs.join('\n\n');
    const grade = (reply: string) => gradeReport(reply, brief, known);
    const [first = '', second = '', ...rest] = paragraphs;
    const swapped = [second, first, ...rest].join('\n\n');
    const wrongFigure = text.replace(/\d+(?=\D*$)/, (figure) => String(Number(figure) + 1));
    const foreign = [`${first} Bartholomew of Zanzibar liked it.`, second, ...rest].join('\n\n');
    const filler = paragraphs.map(
      (paragraph) => `${keywordsOf(paragraph, brief.listed)} ${'go '.repeat(14).trim()}.`,
    );
    const goods = brief.facts.map((fact) => fact.goods);
    const spare = brief.listed.find((name) => goods.every((known) => known.name !== name)) ?? '';
    const others = [spare, goods[1]?.name ?? ''];
    const described = goods.reduce((told, { name, phrases }) => told.replace(name, phrases[0] ?? ''), text);
    return {
      turns: [prompt],
      expected: `${paragraphs.length} paragraphs, ${brief.orderText}, each with its own names and figure and nothing foreign, such as: ${text}`,
      answer: null,
      accepted: [
        [text],
        [`<think>First the order.</think>\n\n${text}`],
        [`Here is the report:\n\n${text}\n\nLet me know if you want changes.`],
        [[...brief.facts.map(reportFreely), ...paragraphs.slice(brief.facts.length)].join('\n\n')],
      ],
      refused: [
        [''],
        [prompt],
        [swapped],
        [wrongFigure],
        [foreign],
        [described],
        ...others.map((name) => [text.replace(`deals in ${goods[0]?.name}`, `deals in ${name}`)]),
        ...others.map((name) => [[`${first} It has no ${name}.`, second, ...rest].join('\n\n')]),
        [filler.join('\n\n')],
        [paragraphs.map(listWords).join('\n\n')],
        [paragraphs.slice(1).join('\n\n')],
        [paragraphs.join(' ')],
      ],
      grade: ([reply = '']) => grade(reply),
    };
  },
};

function describe(random: Random, brief: Brief): string {
  const { facts, notes, listed, total, gap, minWords, maxWords } = brief;
  const isNotesFirst = random.chance(0.3);
  const below = isNotesFirst ? 'above' : 'below';
  const say = (texts: readonly string[], values: Readonly<Record<string, string | number>> = {}) =>
    fillIn(drawWording(random, texts), { below, ...values });
  const closing = [
    ...(total === null ? [] : [say(wordings.totals)]),
    ...(gap === null ? [] : [say(wordings.gaps)]),
  ].join(' and ');
  const order = brief.orderText;
  const parts = [
    say(wordings.openings, { count: facts.length, order }),
    say(wordings.contents),
    say(wordings.lists, { words: listOf(listed) }),
    ...(closing === '' ? [] : [say(wordings.closings, { closing })]),
    ...random.shuffle([
      say(wordings.lengths, { min: minWords, max: maxWords }),
      say(wordings.nothing_else),
      say(wordings.sentences),
    ]),
    say(wordings.replies),
  ];
  const mark = drawWording(random, wordings.marks);
  const heading = isNotesFirst || random.chance(0.5) ? [say(wordings.headings)] : [];
  const noted = random.chance(0.15)
    ? [...heading, notes.join(' ')].join(' ')
    : [...heading, ...notes.map((text) => fillIn(mark, { text }))].join('\n');
  return (isNotesFirst ? [noted, parts.join(' ')] : [parts.join(' '), noted]).join('\n\n');
}

function solve({ facts, total, gap }: Brief): string[] {
  const reports = facts.map(
    ({ town, keeper, goods, count }) =>
      `In ${town} the workshop of ${keeper} deals in ${goods.name}, and over the whole season it sent out ${count} crates.`,
  );
  if (total === null) return reports;
  const difference = gap === null ? '' : `, while the largest and the smallest of them lie ${gap} apart`;
  return [
    ...reports,
    `Taken together, all of these figures add up to a sum of ${total} for the whole season${difference}.`,
  ];
}

/** Another way to say it, with possessives, a compound and a bold figure. */
function reportFreely({ town, keeper, goods, count }: Fact): string {
  return `Good news comes from ${town}’s workshop: ${keeper}'s people, all of them ${town}-born, can point to **${count}** crates of ${goods.name} this season.`;
}

/** The content words of a paragraph, with others to keep its length. */
function listWords(paragraph: string): string {
  const words = paragraph.split(' ').filter((word) => !bindingWords.has(word.toLowerCase()));
  return `${words.join(' ').replace(/[.,]/g, '')} house river garden stone window silver morning bridge.`;
}

function keywordsOf(paragraph: string, listed: readonly string[]): string {
  const pattern = new RegExp(`\\b(?:[A-Z][a-z]+|\\d+|${listed.join('|')})\\b`, 'g');
  return (paragraph.match(pattern) ?? []).join(' ');
}

function gradeReport(reply: string, brief: Brief, known: ReadonlySet<string>): TaskGrade {
  const { facts, total } = brief;
  const paragraphs = readParagraphs(reply).slice(0, maxParagraphs);
  const wanted = facts.length + Number(total !== null);
  const faults = [
    ['paragraph-count', `${wanted} paragraphs`, paragraphs.length === wanted ? null : `${paragraphs.length}`],
    ['facts-in-order', 'each fact in its paragraph', findMissing(paragraphs, facts)],
    ['one-fact-per-paragraph', 'nothing of another fact', findMixed(paragraphs, brief)],
    ['totals', 'the right totals at the end', findTotalFault(paragraphs.at(-1) ?? '', brief)],
    ['nothing-foreign', 'only names and figures of the brief', findForeign(paragraphs, brief, known)],
    [
      'length',
      `${brief.minWords} to ${brief.maxWords} words a paragraph`,
      findLengthFault(paragraphs, brief),
    ],
  ] as const;
  const checks = faults.map(([name, expected, fault]): Check => ({
    name,
    passed: fault === null,
    message: `Expected ${expected}, found ${fault ?? 'that'}.`,
  }));
  return gradeAll(checks, { found: paragraphs.length === 0 ? null : paragraphs.join(' / ') });
}

/** The words of a paragraph and the parts of compounds, without a possessive s. */
function tokensOf(paragraph: string): Set<string> {
  const words = wordsOf(paragraph).flatMap((word) => [word, ...word.split(/[-–—/]/)]);
  return new Set([...words.map((word) => word.replace(/['’]s?$/, '')), ...figuresOf(paragraph)]);
}

function figuresOf(paragraph: string): string[] {
  return (paragraph.match(/\d{1,12}(?:[,\u202f ]\d{3}(?!\d))*/g) ?? []).map((figure) =>
    figure.replaceAll(/\D/g, ''),
  );
}

function findMissing(paragraphs: readonly string[], facts: readonly Fact[]): string | null {
  for (const [at, { town, keeper, goods, count }] of facts.entries()) {
    const tokens = tokensOf(paragraphs[at] ?? '');
    const missing = [town, keeper, goods.name, String(count)].find((item) => !tokens.has(item.toLowerCase()));
    if (missing !== undefined) return `no ${quote(missing)} in paragraph ${at + 1}`;
  }
  return null;
}

/** What belongs to another workshop, or a word of the list that fits none. */
function findMixed(paragraphs: readonly string[], { facts, listed }: Brief): string | null {
  for (const [at, paragraph] of paragraphs.entries()) {
    const tokens = tokensOf(paragraph);
    const others = facts.filter((_, place) => place !== at);
    const mixed = [
      ...others.flatMap(({ town, keeper, count }) => [town, keeper, String(count)]),
      ...listed.filter((name) => name !== facts[at]?.goods.name),
    ].find((item) => tokens.has(item.toLowerCase()));
    if (mixed !== undefined) return `${quote(mixed)} in paragraph ${at + 1}`;
  }
  return null;
}

function findTotalFault(last: string, { total, gap }: Brief): string | null {
  const wanted = [total, gap].filter((figure) => figure !== null).map(String);
  const figures = figuresOf(last);
  const missing = wanted.find((figure) => !figures.includes(figure));
  return missing === undefined ? null : `no ${missing}`;
}

/** A figure or a name that is not in the brief, or that the brief withdraws. */
function findForeign(
  paragraphs: readonly string[],
  { facts, withdrawn, total, gap }: Brief,
  known: ReadonlySet<string>,
): string | null {
  const figures = new Set([...facts.map(({ count }) => count), total, gap].map(String));
  for (const paragraph of paragraphs) {
    const figure = figuresOf(paragraph).find((other) => !figures.has(other));
    if (figure !== undefined) return `the figure ${figure}`;
    const tokens = tokensOf(paragraph);
    const back = withdrawn.find((item) => tokens.has(item.toLowerCase()));
    if (back !== undefined) return `${quote(back)}, which was withdrawn`;
    const name = paragraph
      .split(/[.!?:;"“”]\s{0,9}/)
      .flatMap((sentence) => sentence.trim().split(/\s+/).slice(1))
      .map((word) => /^[^\p{L}\p{N}]{0,9}(\p{Lu}\p{Ll}+)(?!\p{L})/u.exec(word)?.[1] ?? '')
      .find((word) => word !== '' && !known.has(word.toLowerCase()));
    if (name !== undefined) return `the name ${quote(name)}`;
  }
  return null;
}

function findLengthFault(paragraphs: readonly string[], { minWords, maxWords }: Brief): string | null {
  for (const [at, paragraph] of paragraphs.entries()) {
    const words = wordsOf(paragraph);
    if (words.length < minWords || words.length > maxWords) {
      return `${words.length} words in paragraph ${at + 1}`;
    }
    if (new Set(words).size < words.length * minDifferentShare) return `filler in paragraph ${at + 1}`;
    const binding = words.filter((word) => bindingWords.has(word)).length;
    if (binding < words.length * minBindingShare) return `a list instead of sentences in paragraph ${at + 1}`;
  }
  return paragraphs.length === 0 ? 'none' : null;
}
