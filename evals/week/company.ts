/** The company of a run: its people, customers and suppliers, its manual and the mails that amend it. */
import { createRandom, type Random } from '../random.ts';
import { desks, productGroups } from './areas/facts.ts';
import { dayAfter } from './days.ts';
import { drawAmendments, drawPolicy } from './manual/draw-policy.ts';
import { generalParagraphs } from './manual/general.ts';
import { renderAmendment } from './manual/grammar.ts';
import { type Manual, nameClause, setManual } from './manual/pages.ts';
import { type Amendment, findClause, type Law, type PolicySpec, specOf } from './manual/rules.ts';
import { cities, firstNames, partyNames, productNames, sites, surnames } from './names.ts';
import { type Row, text, Office } from './office.ts';

export const posts = 'Service Finance Sales Operations People Purchasing'
  .split(' ')
  .map((department) => `Head of ${department}`);
const otherPosts = 'clerk planner buyer adviser analyst technician coordinator'.split(' ');

/** The site of those who work in the field; requests never name them by it. */
export const noSite = 'on the road';

export interface Chapter {
  readonly law: Law;
  readonly voids: readonly Amendment[];
  readonly owner: string;
  /** The ids of the mails on amendments of the chapter, by amendment. */
  readonly memos: ReadonlyMap<string, string>;
}

export interface Company {
  readonly name: string;
  readonly domain: string;
  readonly monday: string;
  readonly manual: Manual;
  readonly chapters: ReadonlyMap<string, Chapter>;
}

/** A new id of a record that is part of the company or of a task. */
export function newId(office: Office, prefix: string): string {
  for (;;) {
    const id = `${prefix}-${office.ids.int(10_000, 69_999)}`;
    if (Object.values(office.tables).every((table) => !table.has(id))) return id;
  }
}

const drawsMax = 1_000;

/**
 * Draws again until something is new, so that a request can name it without fitting two things. If nothing is new after
 * many draws, it is the last one.
 */
export function drawNew<Drawn>(draw: () => Drawn, isTaken: (drawn: Drawn) => boolean): Drawn {
  let drawn = draw();
  for (let left = drawsMax; left > 0 && isTaken(drawn); left -= 1) drawn = draw();
  return drawn;
}

/** The colleagues who are not away. */
export function presentPeople(office: Office): Row[] {
  return office.rows('people').filter((row) => row['status'] === 'present');
}

/** Draws a colleague who is present and has not sent a mail with this subject yet. */
export function drawWriter(office: Office, random: Random, subject: string): Row {
  const mails = office.rows('mails').filter((mail) => mail['subject'] === subject);
  const writers = new Set(mails.map(({ from }) => from));
  const present = presentPeople(office);
  return drawNew(
    () => random.pick(present),
    ({ email }) => writers.has(email),
  );
}

/** The number of a new batch of ledger entries. */
export function newBatch(office: Office, random: Random): string {
  const taken = new Set(office.rows('entries').map(({ batch }) => batch));
  return drawNew(
    () => `B${random.int(1_000, 9_999)}`,
    (batch) => taken.has(batch),
  );
}

const peopleCount = 60;
const parties = 80;
/** Together with those on amendments. */
const mailCount = 160;

export function makeCompany(
  seed: string,
  specs: readonly { readonly policy: PolicySpec; readonly owner: string }[],
): { company: Company; office: Office } {
  const random = createRandom(seed, 'week/company');
  // A Monday of 2031.
  const monday = dayAfter('2031-03-03', 7 * random.int(0, 30));
  const office = new Office(seed, monday);
  const name = `${random.pick(surnames)} & ${random.pick(surnames)}`;
  const domain = `${name.toLowerCase().replaceAll(/[^a-z]+/g, '-')}.example`;
  addPeople(office, random, domain);
  for (const name of random.sample(partyNames, parties))
    addParty(office, random, { name, kind: random.chance(0.7) ? 'customer' : 'supplier' });
  addProducts(office, random);
  const drawn = specs.map(({ policy, owner }) => ({ policy: drawPolicy(random, policy), owner }));
  const manual = setManual(random, drawn, generalParagraphs(random));
  const chapters = new Map<string, Chapter>();
  for (const [index, policy] of manual.policies.entries()) {
    const owner = drawn[index]?.owner ?? '';
    const { amendments, voids } = drawAmendments(random, policy, monday);
    const chapter: Chapter = { law: { policy, amendments }, voids, owner, memos: new Map() };
    chapters.set(policy.spec.name, { ...chapter, memos: sendMemos(office, random, manual, chapter, domain) });
  }
  addMails(office, random, domain);
  return { company: { name, domain, monday, manual, chapters }, office };
}

function addPeople(office: Office, random: Random, domain: string): void {
  const own = random.sample(sites, 5);
  const teams = [...desks, 'Finance', 'Warehouse', 'Purchasing', 'People', 'Design'];
  const taken = new Set<string>();
  for (let index = 0; index < peopleCount; index += 1) {
    const [first, short] = random.pick(firstNames);
    const surname = random.pick(surnames);
    const post = posts[index] ?? random.pick(otherPosts);
    let email = `${first}.${surname}@${domain}`.toLowerCase();
    // Two people of one name have addresses with a number.
    for (let number = 2; taken.has(email); number += 1)
      email = `${first}.${surname}${number}@${domain}`.toLowerCase();
    taken.add(email);
    office.put('people', {
      person_id: newId(office, 'P'),
      name: `${first} ${surname}`,
      also_called: short,
      email,
      post,
      team: index < posts.length ? 'Management' : random.pick(teams),
      site: random.pick(own),
      grade: random.int(1, 6),
      since: dayAfter(office.monday, -random.int(60, 5_000)),
      status: index >= posts.length && random.chance(0.06) ? 'away' : 'present',
      deputy_id: null,
    });
  }
  const heads = office.rows('people').slice(0, posts.length);
  // Two heads are away for the week, so that their deputies decide.
  for (const head of random.sample(heads, 2)) {
    office.put('people', { ...head, status: 'away', away_until: dayAfter(office.monday, 12) });
  }
  const present = presentPeople(office);
  for (const [index, person] of office.rows('people').entries()) {
    const deputy = random.pick(present.filter((other) => other !== person));
    const manager = heads[index % heads.length] ?? person;
    office.put('people', {
      ...person,
      deputy_id: text(deputy, 'person_id'),
      manager_id: text(manager, 'person_id'),
    });
  }
}

/** A customer or supplier; what is not given is drawn. */
export function addParty(office: Office, random: Random, given: Row): Row {
  const [first, short] = random.pick(firstNames);
  const surname = random.pick(surnames);
  const name = String(given['name'] ?? random.pick(partyNames));
  const slug = name.toLowerCase().replaceAll(/[^a-z]+/g, '-');
  return office.put('parties', {
    party_id: newId(office, 'C'),
    name,
    also_called: name.split(' ')[0] ?? name,
    kind: 'customer',
    contact: `${first} ${surname}`,
    contact_called: short,
    email: `${first}.${surname}@${slug}.example`.toLowerCase(),
    city: random.pick(cities),
    segment: random.pick(['private', 'trade', 'public body', 'reseller']),
    since: dayAfter(office.monday, -random.int(200, 5_400)),
    ...given,
  });
}

/** A colleague in the field; what is not given is drawn. */
export function addColleague(office: Office, random: Random, given: Row): Row {
  const [first, short] = random.pick(firstNames);
  const surname = random.pick(surnames);
  const person_id = newId(office, 'P');
  const known = office.rows('people');
  const domain = text(known[0] ?? {}, 'email').split('@')[1] ?? '';
  const manager = random.pick(known.slice(0, posts.length));
  return office.put('people', {
    person_id,
    name: `${first} ${surname}`,
    also_called: short,
    email: `${first}.${surname}.${person_id.slice(2)}@${domain}`.toLowerCase(),
    post: 'field staff',
    site: noSite,
    since: dayAfter(office.monday, -random.int(60, 4_000)),
    status: 'present',
    deputy_id: null,
    manager_id: text(manager, 'person_id'),
    ...given,
  });
}

interface Letter {
  readonly subject: string;
  readonly body: string;
  /** Now by default. */
  readonly at?: string;
}

/** Puts a mail into the inbox of the office. */
export function receiveMail(
  office: Office,
  mail_id: string,
  from: string,
  name: string,
  { subject, body, at = office.now }: Letter,
): void {
  const text = `Hello,\n${body}\n${name}`;
  office.put('mails', {
    mail_id,
    folder: 'inbox',
    from,
    from_name: name,
    to: ['office'],
    subject,
    at,
    body: text,
  });
}

function addProducts(office: Office, random: Random): void {
  for (const title of random.sample(productNames, 60)) {
    const code = `${random.text('BCDFGHKLMNPRSTVWXZ', 2)}${random.int(100, 999)}`;
    office.put('entries', {
      entry_id: newId(office, 'N'),
      kind: 'product',
      title,
      also_called: code,
      product_group: random.pick(productGroups),
      amount: 10 * random.int(4, 90),
      status: 'listed',
      day: '2030-01-01',
    });
  }
}

export function holderOf(office: Office, post: string): Row {
  const holder = office.rows('people').find((row) => row['post'] === post);
  if (holder === undefined) throw new RangeError(`Nobody is ${post}.`);
  return holder;
}

/** Who decides for a post today. */
export function deciderOf(office: Office, post: string): Row {
  const holder = holderOf(office, post);
  return holder['status'] === 'away' ? office.get('people', text(holder, 'deputy_id')) : holder;
}

/** The mails about amendments: valid ones, and void ones for one of three reasons. */
function sendMemos(
  office: Office,
  random: Random,
  manual: Manual,
  { law, voids, owner }: Chapter,
  domain: string,
) {
  const memos = new Map<string, string>();
  const { policy } = law;
  const topic = policy.spec.topic;
  const keeper = holderOf(office, owner);
  for (const [index, amendment] of [...law.amendments, ...voids].entries()) {
    const { question, clause } = findClause(policy, amendment.clause);
    const place = manual.places.get(`${policy.spec.name}/${clause.id}`);
    const reference = nameClause(manual.voice, policy, question, clause, place?.number ?? '');
    const body = renderAmendment(manual.voice, policy, specOf(policy, question), amendment, reference);
    const isVoid = index >= law.amendments.length;
    const reason = isVoid ? random.pick(['stranger', 'draft', 'taken back', 'lookalike'] as const) : null;
    const outsiders = office.rows('people').filter((row) => row['person_id'] !== keeper['person_id']);
    const sender = reason === 'stranger' ? random.pick(outsiders) : keeper;
    const email =
      reason === 'lookalike'
        ? text(keeper, 'email').replace(`@${domain}`, `@${domain.replace('.example', '-mail.example')}`)
        : text(sender, 'email');
    const subject = `Amendment on ${topic}${reason === 'draft' ? ' (draft)' : ''}`;
    const at = dayAfter(amendment.from, -random.int(3, 9));
    const name = text(sender, 'name');
    const post = (day: string, said: string) =>
      putMail(office, { ...sender, email }, `everybody@${domain}`, {
        subject,
        body: `Dear all,\n${said}\n${name}`,
        at: `${day} 09:${10 + index}`,
      });
    memos.set(amendment.id, post(at, body));
    if (reason === 'taken back')
      post(
        dayAfter(at, 2),
        `I take back my amendment of ${at} on ${reference}. The manual stays as it is there.`,
      );
  }
  return memos;
}

/** A mail from before the week. @returns its id */
function putMail(office: Office, sender: Row, to: string, letter: Required<Letter>): string {
  const mail_id = newId(office, 'M');
  const [from, from_name] = [text(sender, 'email'), text(sender, 'name')];
  const { subject, body, at } = letter;
  office.put('mails', { mail_id, folder: 'inbox', from, from_name, to: [to], subject, body, at });
  return mail_id;
}

const subjects = 'Short note, For information, Tomorrow, A question, Thanks, Re: samples, Plan'.split(', ');
const smallTalk = [
  'The samples are on the table by the window.',
  'Lunch on Thursday is at the usual place.',
  'I have moved the boxes to the back room.',
  'The printer on the first floor is repaired.',
  'Thank you for the quick reply last week.',
  'The minutes are in the folder.',
  'Can you bring the keys tomorrow?',
  'The courier came late again.',
  'My train is late, start without me.',
  'The photos of the fair are ready.',
];

function addMails(office: Office, random: Random, domain: string): void {
  const people = office.rows('people');
  const start = office.tables.mails.size;
  for (let index = start; index < mailCount; index += 1) {
    const sender = random.pick(people);
    const at = `${dayAfter(office.monday, -random.int(1, 90))} ${random.int(10, 17)}:${random.int(10, 59)}`;
    putMail(office, sender, `office@${domain}`, {
      subject: random.pick(subjects),
      body: `${random.pick(smallTalk)} ${random.pick(smallTalk)}`,
      at,
    });
  }
}
