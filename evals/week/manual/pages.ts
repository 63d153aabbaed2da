/** Sets the manual: numbers clauses, spreads them over chapters, renders them and cuts the text into pages. */
import type { Random } from '../../random.ts';
import { capital } from '../../safe-text.ts';
import { withoutDead } from './draw-policy.ts';
import {
  drawVoice,
  fill,
  renderClause,
  renderHouseRule,
  renderRemark,
  renderTerm,
  renderTests,
  type Voice,
} from './grammar.ts';
import { type Clause, clausesOf, type Policy, type Question, specOf } from './rules.ts';
import { numberRefs, rootRefs, subjectRefs } from './words.ts';

/** The share of exceptions that stand in a chapter of another subject. */
const displaced = 0.15;
/** The share of references by subject instead of number. */
const bySubject = 0.4;
/** The share of clauses with a remark. */
const remarks = 0.3;
const houseRules = 10;

export interface ManualPage {
  readonly page: number;
  readonly chapter: string;
  readonly text: string;
}

export interface Manual {
  /** With exceptions in the order of printing. */
  readonly policies: readonly Policy[];
  readonly pages: readonly ManualPage[];
  readonly chapters: readonly { readonly title: string; readonly page: number }[];
  readonly voice: Voice;
  /** The sentence and page of each clause and term, by `policy/id`. */
  readonly places: ReadonlyMap<
    string,
    { readonly number: string; readonly text: string; readonly page: number }
  >;
}

const pageChars = 2_400;

interface Entry {
  readonly key: string | null;
  readonly number: string;
  readonly write: () => string;
}

/** @param general paragraphs on how the manual is read, and on the company as a whole */
export function setManual(
  random: Random,
  chapters: readonly { readonly policy: Policy; readonly owner: string }[],
  general: readonly string[],
): Manual {
  const voice = drawVoice(random);
  const numbers = new Map<string, string>();
  const titles = [
    'How this manual is read',
    'Words',
    ...chapters.map(({ policy }) => random.pick(policy.spec.titles)),
    'Remaining provisions',
    'The house',
  ];
  const remaining = titles.length - 2;
  const entries = titles.map((): Entry[] => []);
  const add = (key: string | null, chapter: number, write: () => string) => {
    const own = entries[chapter] ?? [];
    const number = `${chapter + 1}.${own.length + 1}`;
    if (key !== null) numbers.set(key, number);
    own.push({ key, number, write });
  };
  for (const text of general) add(null, 0, () => text);
  const laid = chapters.map(({ policy, owner }, index) => ({
    owner,
    ...layOut(random, policy, index + 2, remaining),
  }));
  const terms = chapters.flatMap(({ policy }) => policy.terms.map((term) => ({ policy, term })));
  for (const { policy, term } of random.shuffle(terms)) {
    add(`${policy.spec.name}/${term.name}`, 1, () => renderTerm(voice, policy, term));
  }
  for (const [index, { policy, owner, chapterOf }] of laid.entries()) {
    const own = index + 2;
    add(null, own, () => `This chapter is kept by the ${owner}; nobody else can amend it.`);
    for (const sentences of policy.spec.readings)
      add(null, own, () => capital(fill(voice, random.pick(sentences))));
    for (const question of policy.questions) {
      for (const clause of clausesOf(question.root)) {
        add(`${policy.spec.name}/${clause.id}`, chapterOf.get(clause.id) ?? own, () => {
          const reference = referenceTo(voice, policy, question, clause, numbers);
          const text = capital(renderClause(voice, policy, specOf(policy, question), clause, reference));
          return random.chance(remarks) ? `${text} ${renderRemark(voice)}` : text;
        });
      }
    }
  }
  for (let count = 0; count < houseRules; count += 1)
    add(null, titles.length - 1, () => renderHouseRule(voice));
  const policies = laid.map(({ policy }) => policy);
  return { policies, voice, ...cut(titles, entries) };
}

/** Chooses the chapters of clauses, and puts exceptions in the order of printing: the one printed last prevails. */
function layOut(random: Random, policy: Policy, own: number, remaining: number) {
  const chapterOf = new Map<string, number>();
  const order = (clause: Clause): Clause => {
    const children = clause.children.toSorted((left, right) => {
      return (chapterOf.get(left.id) ?? own) - (chapterOf.get(right.id) ?? own);
    });
    return { ...clause, children: children.map(order) };
  };
  const questions = policy.questions.map((question) => {
    for (const clause of clausesOf(question.root)) {
      const isAway = clause !== question.root && random.chance(displaced);
      chapterOf.set(clause.id, !isAway ? own : random.chance(0.5) ? remaining : random.int(2, remaining));
    }
    return { ...question, root: withoutDead(random, policy, order(question.root)) };
  });
  return { policy: { ...policy, questions }, chapterOf };
}

/** Writes the entries of each chapter, and cuts them into pages. */
function cut(
  titles: readonly string[],
  chapters: readonly (readonly Entry[])[],
): Pick<Manual, 'pages' | 'chapters' | 'places'> {
  const pages: ManualPage[] = [];
  const places = new Map<string, { number: string; text: string; page: number }>();
  const contents: { title: string; page: number }[] = [];
  for (const [chapter, entries] of chapters.entries()) {
    const title = `${chapter + 1} ${titles[chapter] ?? ''}`;
    let text = '';
    const flush = () => {
      if (text !== '') pages.push({ page: pages.length + 1, chapter: title, text: text.trimEnd() });
      text = '';
    };
    contents.push({ title, page: pages.length + 1 });
    for (const { key, number, write } of entries) {
      const sentence = `${number} ${write()}`;
      if (text.length + sentence.length > pageChars) flush();
      text += `${sentence}\n`;
      if (key !== null) places.set(key, { number, text: sentence, page: pages.length + 1 });
    }
    flush();
  }
  return { pages, chapters: contents, places };
}

/** How a clause names its parent; null for the root of a question. */
function referenceTo(
  voice: Voice,
  policy: Policy,
  question: Question,
  clause: Clause,
  numbers: ReadonlyMap<string, string>,
): string | null {
  const parent = clausesOf(question.root).find(({ children }) => children.includes(clause));
  if (parent === undefined) return null;
  const number = numbers.get(`${policy.spec.name}/${parent.id}`) ?? '';
  return nameClause(voice, policy, question, parent, number, bySubject);
}

/**
 * Names a clause by its number, or by its subject where that can mean no other clause of the question.
 *
 * @param share of references by subject; amendments have none
 */
export function nameClause(
  voice: Voice,
  policy: Policy,
  question: Question,
  clause: Clause,
  number: string,
  share = 0,
): string {
  const { random } = voice;
  const own = conditionsOf(clause);
  const twins = clausesOf(question.root).filter((other) => conditionsOf(other) === own);
  const s = fill(voice, specOf(policy, question).subject);
  if (twins.length > 1 || !random.chance(share)) return fill(voice, random.pick(numberRefs), { n: number });
  if (clause.when.length === 0) return fill(voice, random.pick(rootRefs), { s });
  return fill(voice, random.pick(subjectRefs), { s, c: renderTests(voice, policy, clause.when) });
}

/** The same for clauses that apply to the same cases, in whatever order they say so. */
function conditionsOf({ when }: Clause): string {
  return when
    .map((test) => JSON.stringify(test))
    .toSorted()
    .join();
}
