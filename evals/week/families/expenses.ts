/** Settles a batch of expense claims. */
import type { Random } from '../../random.ts';
import { batchGoal, drawCases, drawFiller, nobody } from '../batch-goal.ts';
import { drawWriter, newBatch, newId, noSite } from '../company.ts';
import { dayAfter, daysBetween } from '../days.ts';
import { expenses as policy } from '../manual/policies/expenses.ts';
import type { Facts } from '../manual/rules.ts';
import { firstNames, surnames } from '../names.ts';
import type { Family } from '../tasks.ts';
import { cents, type Lookup, number, sum, text, type World } from '../world.ts';

const places: Readonly<Record<string, readonly string[]>> = {
  home: [
    'For the day at the customer across town.',
    'On the way to our branch in the next street.',
    'For the workshop in our own hall.',
  ],
  abroad: [
    'During the week at the mill in Morocco.',
    'For the visit to the works in Canada.',
    'While I was with the dealer in Japan.',
  ],
  fair: [
    'At our stand at the spring fair.',
    'For the three days of the furniture fair.',
    'During the trade fair, between two appointments.',
  ],
};
const proofs: Readonly<Record<string, string>> = {
  receipt: 'Receipt attached.',
  copy: 'I have only a photocopy of the receipt, attached.',
  'own note': 'The receipt is lost; I have written a note myself, attached.',
};

const subject = 'Expenses, handed in';

export const expensesFamily: Family = {
  name: 'expenses',
  policy: policy.name,
  addBackground({ world, company, random }, count) {
    for (let index = 0; index < count; index += 1) {
      const facts = drawFiller(random, company, policy.name, () => pastDay(world, random));
      addCase(world, random, facts, `X${random.int(100, 999)}`);
    }
  },
  make({ world, company, random, dials, cases }) {
    const batch = newBatch(world, random);
    const owner = drawWriter(world, random, subject);
    const facts = drawCases({ random, company, dials, cases }, policy.name, {
      drawDay: () => pastDay(world, random),
      isPossible: ({ day, age }) => dayAfter(String(day), Number(age)) <= world.today,
    });
    const caseIds = facts.map((own) => addCase(world, random, own, batch));
    world.put('mails', {
      mail_id: newId(world, 'M'),
      folder: 'inbox',
      from: text(owner, 'email'),
      from_name: text(owner, 'name'),
      to: ['office'],
      subject,
      at: `${dayAfter(world.today, -1)} 16:20`,
      body: `Good afternoon,\nI have gathered the claims of the last weeks and entered them as batch ${batch}. Nothing has been settled yet.\n${text(owner, 'name')}`,
    });
    return batchGoal(company, {
      family: 'expenses',
      policy: policy.name,
      table: 'entries',
      tool: 'ledger_settle',
      caseIds,
      request: random.pick([
        `${text(owner, 'name')} wrote yesterday that the expense claims are in. Settle the whole batch by the manual.`,
        `The expense claims that ${text(owner, 'name')} has gathered are waiting; the number of the batch is in yesterday's mail. Settle them all as the manual has it.`,
      ]),
      figures: [
        {
          name: 'number of claims that get more than 0',
          of: (booked) => booked.filter((row) => number(row, 'paid') > 0).length,
        },
        { name: 'total paid out in EUR', of: (booked) => sum(booked, 'paid') },
      ],
      linked: (lookup, id) => [[{ table: 'people', id: text(lookup.get('entries', id), 'person_id') }]],
      collect(oracle) {
        const mails = oracle
          .list('mail_list', { from: text(owner, 'email') })
          .filter(({ subject }) => subject === 'Expenses, handed in');
        oracle.fetch(
          'mails',
          mails.slice(0, 1).map((mail) => text(mail, 'mail_id')),
        );
        oracle.rely(batch);
        return oracle.list('ledger_list', { kind: 'expense', batch }).map((row) => text(row, 'entry_id'));
      },
      factsOf,
      fieldsOf(lookup, id, outcome) {
        const entry = lookup.get('entries', id);
        if (entry['status'] === 'taken back') return null;
        const paid = cents(
          Math.min((number(entry, 'amount') * Number(outcome['share'])) / 100, Number(outcome['ceiling'])),
        );
        return {
          paid,
          code: String(outcome['code']),
          approver: paid === 0 ? nobody : String(outcome['approver']),
          _amount: paid,
        };
      },
      change(own, id) {
        own.edit('entries', id, { status: 'taken back' });
        const person = own.get('people', text(own.get('entries', id), 'person_id'));
        own.put('mails', {
          mail_id: own.newId('M'),
          folder: 'inbox',
          from: text(person, 'email'),
          from_name: text(person, 'name'),
          to: ['office'],
          subject: `Claim ${id}`,
          body: `Hello,\nI have taken back my claim ${id}, it was meant for another project. Please leave it unless it is paid already.\n${text(person, 'name')}`,
          at: own.now,
        });
        own.unread += 1;
      },
    });
  },
};

function pastDay(world: World, random: Random): string {
  return dayAfter(world.today, -random.int(4, 60));
}

function addCase(world: World, random: Random, facts: Facts, batch: string): string {
  const [first, short] = random.pick(firstNames);
  const surname = random.pick(surnames);
  const person_id = newId(world, 'P');
  const known = world.rows('people');
  const domain = text(known[0] ?? {}, 'email').split('@')[1] ?? '';
  const manager = random.pick(known.slice(0, 6));
  world.put('people', {
    person_id,
    name: `${first} ${surname}`,
    also_called: short,
    email: `${first}.${surname}.${person_id.slice(2)}@${domain}`.toLowerCase(),
    post: 'field staff',
    team: String(facts['team']),
    site: noSite,
    grade: Number(facts['grade']),
    since: dayAfter(world.monday, -random.int(60, 4_000)),
    status: 'present',
    deputy_id: null,
    manager_id: text(manager, 'person_id'),
  });
  const entry_id = newId(world, 'E');
  const day = String(facts['day']);
  world.put('entries', {
    entry_id,
    kind: 'expense',
    title: `${String(facts['sort'])}, ${first} ${surname}`,
    batch,
    person_id,
    sort: String(facts['sort']),
    amount: Number(facts['amount']),
    day,
    day_of: 'receipt',
    claimed_on: dayAfter(day, Number(facts['age'])),
    status: 'open',
    note: `${random.pick(places[String(facts['place'])] ?? [])} ${proofs[String(facts['proof'])] ?? ''}`,
    paid: null,
    code: null,
  });
  return entry_id;
}

function factsOf(lookup: Lookup, id: string): Facts {
  const entry = lookup.get('entries', id);
  const person = lookup.get('people', text(entry, 'person_id'));
  const note = text(entry, 'note');
  const place = Object.entries(places).find(([, sentences]) =>
    sentences.some((sentence) => note.includes(sentence)),
  )?.[0];
  const proof = Object.entries(proofs).find(([, sentence]) => note.includes(sentence))?.[0];
  const day = text(entry, 'day');
  return {
    day,
    sort: text(entry, 'sort'),
    amount: number(entry, 'amount'),
    age: daysBetween(day, text(entry, 'claimed_on')),
    proof: proof ?? '',
    grade: number(person, 'grade'),
    team: text(person, 'team'),
    place: place ?? '',
  };
}
