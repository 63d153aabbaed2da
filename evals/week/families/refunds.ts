/** Refunds on everything that an incident touched. */
import type { Random } from '../../random.ts';
import { batchGoal, drawCases, drawFiller, nobody } from '../batch-goal.ts';
import { addParty, newId, yearsBetween } from '../company.ts';
import { dayAfter, daysBetween } from '../days.ts';
import { refunds as policy } from '../manual/policies/refunds.ts';
import type { Facts } from '../manual/rules.ts';
import type { Family } from '../tasks.ts';
import { cents, type Lookup, number, type Row, sum, text, type World } from '../world.ts';

const complaints: Readonly<Record<string, readonly string[]>> = {
  damaged: [
    'One corner is broken off.',
    'It has a crack from top to bottom.',
    'The box was fine, but what was in it was dented.',
  ],
  incomplete: [
    'Two of the parts in the list are not in the box.',
    'The screws are missing.',
    'We got only half of what we had paid for.',
  ],
  'wrong item': [
    'This is not what we had ordered.',
    'Somebody must have mixed up the boxes: it is another article.',
    'We ordered something else altogether.',
  ],
  disliked: [
    'It works, but we do not like the colour.',
    'Nothing is wrong with it, we just changed our mind.',
    'It does not suit the room after all.',
  ],
  late: [
    'It is fine, but it came far too late.',
    'Everything is in order except that we waited and waited.',
    'We needed it for an event that is over by now.',
  ],
};
const endings = [
  'What can you do for us?',
  'Please settle this.',
  'We look forward to hearing from you.',
  'Kindly let us know.',
  'We had expected better.',
  'I hope that we find a solution.',
];

const sites = ['Ghent', 'Turin', 'Gdansk', 'Bilbao', 'Brno', 'Porto'];

export const refundsFamily: Family = {
  name: 'refunds',
  policy: policy.name,
  addBackground({ world, company, random }, count) {
    for (let index = 0; index < count; index += 1) {
      const facts = drawFiller(random, company, policy.name, () => pastDay(world, random));
      const product = productOf(world, random, String(facts['group']));
      addCase(world, random, facts, product, `L-${random.int(10_000, 99_999)}`, null);
    }
  },
  make({ world, company, random, dials, cases }) {
    const products = world.rows('entries').filter((row) => row['kind'] === 'product');
    const product = random.pick(products.filter((row) => sitesLeft(world, row).length > 0));
    const lot = `L-${random.int(1_000, 9_999)}`;
    const incident = newId(world, 'T');
    const site = random.pick(sitesLeft(world, product));
    world.put('tickets', {
      ticket_id: incident,
      kind: 'incident',
      title: incidentTitle(product, site),
      status: 'open',
      entry_id: null,
      parent_id: null,
      opened_on: dayAfter(world.today, -1),
      body: `Lot ${lot} of ${text(product, 'also_called')} left the warehouse in ${site} in a bad state or too late. The complaints are filed under this ticket.`,
    });
    const facts = drawCases(
      { random, company, dials, cases },
      policy.name,
      { drawDay: () => pastDay(world, random) },
      { group: text(product, 'product_group') },
    );
    const caseIds = facts.map((own) => addCase(world, random, own, product, lot, incident));
    const tickets = world.rows('tickets').filter((row) => row['parent_id'] === incident);
    return batchGoal(company, {
      family: 'refunds',
      policy: policy.name,
      table: 'entries',
      tool: 'ledger_refund',
      caseIds,
      request: random.pick([
        `Please settle the complaints about the ${text(product, 'title')} from ${site}: book for each what the manual gives.`,
        `The trouble with the ${text(product, 'title')} that ${site} sent out has to come to an end. Go through all complaints filed under that incident and book the refunds as the manual says.`,
        `You have seen the incident with the ${text(product, 'title')} (${site}). Book the refund for every complaint under it.`,
      ]),
      figures: [
        {
          name: 'number of orders with a refund of more than 0',
          of: (booked) => booked.filter((row) => number(row, 'refund') > 0).length,
        },
        { name: 'total of the refunds in EUR', of: (booked) => sum(booked, 'refund') },
      ],
      linked: (lookup, id) => {
        const order = lookup.get('entries', id);
        return [
          [
            { table: 'parties', id: text(order, 'party_id') },
            { table: 'entries', id: text(order, 'product_id') },
          ],
        ];
      },
      collect(oracle) {
        const [found] = oracle.list('directory_search', { words: site });
        if (found !== undefined) oracle.rely(site);
        const hit = oracle
          .list('tickets_search', { words: `${text(product, 'also_called')} ${site}` })
          .find(({ kind }) => kind === 'incident');
        oracle.fetch('tickets', [text(hit ?? {}, 'ticket_id')]);
        const own = oracle.list('tickets_list', { parent_id: text(hit ?? {}, 'ticket_id') });
        oracle.fetch(
          'tickets',
          own.map((row) => text(row, 'ticket_id')),
        );
        return own.map((row) => text(row, 'entry_id'));
      },
      factsOf: (lookup, id) => factsOf(lookup, id, ticketOf(lookup, tickets, id)),
      fieldsOf(lookup, id, outcome) {
        if (text(lookup.get('entries', id), 'note').includes('withdrawn')) return null;
        const refund = Math.max(
          0,
          cents(
            (number(lookup.get('entries', id), 'amount') * Number(outcome['share'])) / 100 -
              Number(outcome['fee']),
          ),
        );
        const approver = refund === 0 ? nobody : String(outcome['approver']);
        return { refund, code: String(outcome['code']), approver, _amount: refund };
      },
      change(own, id) {
        const ticket = tickets.find((row) => row['entry_id'] === id);
        if (ticket === undefined) return;
        own.edit('entries', id, { note: 'The customer has withdrawn the complaint.' });
        own.edit('tickets', text(ticket, 'ticket_id'), { status: 'withdrawn' });
        const customer = own.get('parties', text(own.get('entries', id), 'party_id'));
        own.put('mails', {
          mail_id: own.newId('M'),
          folder: 'inbox',
          from: text(customer, 'email'),
          from_name: text(customer, 'contact'),
          to: ['office'],
          subject: `Our order ${id}`,
          body: `Good day,\nwe have withdrawn our complaint about order ${id}; please book nothing if you have not done so.\n${text(customer, 'contact')}`,
          at: own.now,
        });
        own.unread += 1;
      },
    });
  },
};

function incidentTitle(product: Row, site: string): string {
  return `Trouble with ${text(product, 'also_called')} from ${site}`;
}

/** Requests name an incident by its product and site, so an office has only one of each. */
function sitesLeft(world: World, product: Row): readonly string[] {
  const taken = new Set(world.rows('tickets').map((row) => row['title']));
  return sites.filter((site) => !taken.has(incidentTitle(product, site)));
}

function pastDay(world: World, random: Random): string {
  return dayAfter(world.today, -random.int(4, 60));
}

function productOf(world: World, random: Random, group: string): Row {
  const products = world.rows('entries').filter((row) => row['kind'] === 'product');
  const own = products.filter((row) => row['product_group'] === group);
  return random.pick(own.length > 0 ? own : products);
}

/** Adds the customer, the order and the complaint of a case, and returns the order's id. */
function addCase(
  world: World,
  random: Random,
  facts: Facts,
  product: Row,
  lot: string,
  incident: string | null,
): string {
  const day = String(facts['day']);
  const since = dayAfter(day, -Math.ceil(Number(facts['years']) * 365.25) - random.int(20, 330));
  const customer = addParty(world, random, { segment: String(facts['segment']), since });
  const entry_id = newId(world, 'O');
  const promised = dayAfter(day, -Number(facts['delay']));
  world.put('entries', {
    entry_id,
    kind: 'order',
    title: `${text(product, 'title')} for ${text(customer, 'name')}`,
    party_id: text(customer, 'party_id'),
    product_id: text(product, 'entry_id'),
    lot,
    amount: Number(facts['price']),
    day: dayAfter(promised, -random.int(6, 20)),
    day_of: 'order',
    promised_on: promised,
    delivered_on: day,
    carrier: String(facts['carrier']),
    desk: String(facts['desk']),
    status: 'delivered',
    note: '',
    refund: null,
    code: null,
  });
  world.put('tickets', {
    ticket_id: newId(world, 'T'),
    kind: 'complaint',
    title: `Complaint of ${text(customer, 'name')}`,
    status: 'open',
    entry_id,
    parent_id: incident,
    opened_on: dayAfter(day, 2),
    body: `${text(customer, 'contact')} writes: "${random.pick(complaints[String(facts['fault'])] ?? [])} ${random.pick(endings)}"`,
  });
  return entry_id;
}

function ticketOf(lookup: Lookup, tickets: readonly Row[], entryId: string): Row {
  const ticket = tickets.find((row) => row['entry_id'] === entryId);
  return lookup.get('tickets', text(ticket ?? {}, 'ticket_id'));
}

function factsOf(lookup: Lookup, id: string, ticket: Row): Facts {
  const order = lookup.get('entries', id);
  const customer = lookup.get('parties', text(order, 'party_id'));
  const product = lookup.get('entries', text(order, 'product_id'));
  const body = text(ticket, 'body');
  const fault = Object.entries(complaints).find(([, sentences]) =>
    sentences.some((sentence) => body.includes(sentence)),
  )?.[0];
  const day = text(order, 'delivered_on');
  return {
    day,
    delay: daysBetween(text(order, 'promised_on'), day),
    price: number(order, 'amount'),
    fault: fault ?? '',
    segment: text(customer, 'segment'),
    years: yearsBetween(text(customer, 'since'), day),
    group: text(product, 'product_group'),
    carrier: text(order, 'carrier'),
    desk: text(order, 'desk'),
  };
}
