/**
 * The office in which requests are decided: a manual of several chapters, the people who keep them, and mails that
 * amend one of them, or only claim to. The rules are data; the same data is rendered as prose and decides the requests.
 */
import { access } from './manual/policies/access.ts';
import { accounts } from './manual/policies/accounts.ts';
import { contracts } from './manual/policies/contracts.ts';
import { drafts } from './manual/policies/drafts.ts';
import { expenses } from './manual/policies/expenses.ts';
import { files } from './manual/policies/files.ts';
import { meetings } from './manual/policies/meetings.ts';
import { payments } from './manual/policies/payments.ts';
import { quotes } from './manual/policies/quotes.ts';
import { refunds } from './manual/policies/refunds.ts';
import { repairs } from './manual/policies/repairs.ts';
import { stock } from './manual/policies/stock.ts';
import { dayAfter } from '../../../week/days.ts';
import { drawAmendments, drawPolicy, type RuleDials } from './manual/draw-policy.ts';
import { readingParagraphs } from './manual/general.ts';
import { renderAmendment } from './manual/grammar.ts';
import { byNumber, type Manual, type ManualDials, nameClause, setManual, specOf } from './manual/pages.ts';
import { type Amendment, clausesOf, type Law, type PolicySpec } from './manual/rules.ts';
import { officeWords, type Words } from './manual/words.ts';
import { firstNames, surnames } from '../../../week/names.ts';
import type { Random } from '../../../random.ts';

interface DeskChapter {
  readonly spec: PolicySpec;
  /** The post whose holder keeps the chapter. */
  readonly keeper: string;
  /** What the file of a request calls the day that decides it. */
  readonly dayOf: string;
}

/** Of the sentences on how a chapter is read, only the one on the deciding day is about rules. */
const chapters: readonly DeskChapter[] = [
  { spec: refunds, keeper: 'Head of Service', dayOf: 'Day of delivery' },
  { spec: expenses, keeper: 'Head of Finance', dayOf: 'Date of the receipt' },
  { spec: meetings, keeper: 'Head of People', dayOf: 'Day in the calendar, before any move' },
  { spec: contracts, keeper: 'Head of Purchasing', dayOf: 'Day of review' },
  { spec: quotes, keeper: 'Head of Sales', dayOf: 'Day on which the quote was asked for' },
  { spec: payments, keeper: 'Head of Finance', dayOf: 'Day on which the money came' },
  { spec: files, keeper: 'Head of Service', dayOf: 'Day of the request' },
  { spec: stock, keeper: 'Head of Purchasing', dayOf: 'Day of the count' },
  { spec: repairs, keeper: 'Head of Service', dayOf: 'Day of the report' },
  { spec: accounts, keeper: 'Head of Finance', dayOf: 'Day of the request' },
  { spec: drafts, keeper: 'Head of Finance', dayOf: 'Day of the sale' },
  { spec: access, keeper: 'Head of People', dayOf: 'Day of the request' },
].map((chapter) => ({
  ...chapter,
  spec: { ...chapter.spec, readings: chapter.spec.readings.slice(0, 1) },
}));
export const chapterCount = chapters.length;

/** What the manuals of a kind are made of. */
export interface DeskOffice {
  readonly words: Words;
  readonly chapters: readonly DeskChapter[];
}

export const publicDesks: DeskOffice = { words: officeWords, chapters };

export interface DeskDials {
  /** Chapters of the manual; one of them decides. */
  readonly chapters: number;
  readonly rules: RuleDials;
  readonly manual: ManualDials;
}

export interface Desk {
  readonly spec: PolicySpec;
  readonly dayOf: string;
  /** Everything is decided as of this day. */
  readonly today: string;
  readonly manual: Manual;
  readonly law: Law;
  /** Amendments that do not count, whatever their mails say. */
  readonly voids: readonly Amendment[];
  /** Who holds which post, with the address. */
  readonly directory: readonly string[];
  /** In the order in which they arrived. */
  readonly mails: readonly string[];
}

interface Person {
  readonly name: string;
  readonly post: string;
  readonly address: string;
}

const posts = [
  'Head of Service',
  'Head of Finance',
  'Head of Sales',
  'Head of Operations',
  'Head of People',
  'Head of Purchasing',
  'clerk',
  'planner',
] as const;

export function makeDesk(random: Random, dials: DeskDials, { words, chapters: all }: DeskOffice): Desk {
  const today = dayAfter('2031-03-03', random.int(0, 210));
  const own = random.sample(all, dials.chapters);
  const asked = random.pick(own);
  const drawn = own.map(({ spec, keeper }) => ({
    // Other chapters are there to be read; only their number of clauses matters.
    policy: drawPolicy(
      random,
      spec,
      spec === asked.spec ? dials.rules : { ...dials.rules, deeper: 0.3 },
      words,
    ),
    owner: keeper,
  }));
  const manual = setManual(random, drawn, readingParagraphs(random), dials.manual, words);
  const policy = manual.policies.find(({ spec }) => spec === asked.spec);
  if (policy === undefined) throw new Error('The manual lacks the chapter that is asked for.');
  const { amendments, voids } = drawAmendments(random, policy, today, dials.rules);
  const law = { policy, amendments };
  const domain = `${random.pick(surnames)}-${random.pick(surnames)}.example`.toLowerCase();
  const people = drawPeople(random, domain);
  const mails = writeMails(random, { law, voids, manual, people, domain, keeper: asked.keeper });
  return {
    spec: asked.spec,
    dayOf: asked.dayOf,
    today,
    manual,
    law,
    voids,
    directory: people.map(({ name, post, address }) => `${post}: ${name}, ${address}`),
    mails,
  };
}

function drawPeople(random: Random, domain: string): Person[] {
  const names = random.sample(firstNames, posts.length).map(([first]) => first);
  const families = random.sample(surnames, posts.length);
  return posts.map((post, at) => {
    const [first = '', family = ''] = [names[at], families[at]];
    return { name: `${first} ${family}`, post, address: `${first}.${family}@${domain}`.toLowerCase() };
  });
}

interface MailInput extends Pick<Desk, 'law' | 'voids' | 'manual'> {
  readonly people: readonly Person[];
  readonly domain: string;
  readonly keeper: string;
}

interface Mail {
  readonly day: string;
  readonly text: string;
}

function writeMails(random: Random, input: MailInput): string[] {
  const { law, voids, people } = input;
  const keeper = people.find(({ post }) => post === input.keeper);
  if (keeper === undefined) throw new Error(`Nobody is ${input.keeper}.`);
  const others = people.filter((person) => person !== keeper);
  const mails = [
    ...law.amendments.flatMap((amendment) => announce(random, input, amendment, keeper, '')),
    ...voids.flatMap((amendment) => {
      switch (random.pick(['stranger', 'draft', 'taken back', 'lookalike'] as const)) {
        case 'stranger':
          return announce(random, input, amendment, random.pick(others), '');
        case 'draft':
          return announce(random, input, amendment, keeper, ' (draft)');
        case 'lookalike': {
          const address = keeper.address.replace('.example', '-office.example');
          return announce(random, input, amendment, { ...keeper, address }, '');
        }
        case 'taken back':
          return announce(random, input, amendment, keeper, '', true);
      }
    }),
  ];
  return mails
    .toSorted((left, right) => (left.day < right.day ? -1 : left.day > right.day ? 1 : 0))
    .map(({ text }) => text);
}

function announce(
  random: Random,
  { law, manual }: MailInput,
  amendment: Amendment,
  { name, address }: Person,
  mark: string,
  isTakenBack = false,
): Mail[] {
  const { policy } = law;
  const question = policy.questions.find(({ root }) => {
    return clausesOf(root).some(({ id }) => id === amendment.clause);
  });
  const clause = question && clausesOf(question.root).find(({ id }) => id === amendment.clause);
  if (question === undefined || clause === undefined) throw new Error('An amendment names no clause.');
  const number = manual.places.get(`${policy.spec.name}/${clause.id}`)?.number ?? '';
  const reference = nameClause(manual.voice, policy, question, clause, number, byNumber);
  const body = renderAmendment(manual.voice, policy, specOf(policy, question), amendment, reference);
  const day = dayAfter(amendment.from, -random.int(4, 9));
  const subject = `Amendment on ${policy.spec.topic}${mark}`;
  const write = (on: string, title: string, text: string): Mail => ({
    day: on,
    text: `From: ${name} <${address}>\nDate: ${on}\nSubject: ${title}\n${text}`,
  });
  const later = dayAfter(day, 2);
  return [
    write(day, subject, body),
    ...(isTakenBack
      ? [
          write(
            later,
            `Re: ${subject}`,
            `I take back my amendment of ${day} on ${reference}. The manual stays as it is there.`,
          ),
        ]
      : []),
  ];
}
