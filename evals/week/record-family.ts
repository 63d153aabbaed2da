/** Builds a family whose cases are ledger entries of one batch. A family says where each fact of a case stands. */
import type { Random } from '../random.ts';
import { batchGoal, drawCases, drawFiller } from './batch-goal.ts';
import { addParty, drawNew, drawWriter, newBatch, newId, yearsBetween } from './company.ts';
import { dayAfter, daysBetween } from './days.ts';
import type { Outcome } from './manual/decide.ts';
import type { Facts, PolicySpec, Value } from './manual/rules.ts';
import type { Oracle } from './oracle.ts';
import type { Places } from './places.ts';
import type { Family, Figure, GoalInput } from './tasks.ts';
import { type Answer, cents, type Lookup, number, type Row, text, type World } from './world.ts';

export interface RecordSpec {
  readonly name: string;
  readonly policy: PolicySpec;
  /** The kind of ledger entry. */
  readonly kind: string;
  readonly prefix: string;
  readonly tool: string;
  /** How many days before the task a case's day can be. */
  readonly daysAgo: readonly [number, number];
  /** What happened on the case's day: "review". */
  readonly dayOf: string;
  readonly places: Places;
  /** What the entries are called in mails and requests: "contracts up for renewal". */
  readonly things: string;
  /** Requests with `{which}`, which names the batch. */
  readonly requests: readonly string[];
  readonly partyKind: 'customer' | 'supplier';
  /** Fields of a new entry beyond the facts. */
  readonly entry: (random: Random, facts: Facts, party: Row) => Row;
  readonly fieldsOf: (entry: Row, outcome: Outcome, lookup: Lookup) => Row | null;
  readonly figures: readonly Figure[];
  /** What a colleague changes while the agent works: new fields of an entry, and the words of a mail about it. */
  readonly change: { readonly fields: Row; readonly words: string } | null;
}

export function recordFamily(spec: RecordSpec): Family {
  const { name, policy, kind } = spec;
  const pastDay = (world: World, random: Random) => dayAfter(world.today, -random.int(...spec.daysAgo));
  return {
    name,
    policy: policy.name,
    places: spec.places,
    ruledBy: (other, places) => recordFamily({ ...spec, policy: other, places }),
    addBackground({ world, company, random }, count) {
      for (let index = 0; index < count; index += 1) {
        const facts = drawFiller(random, company, policy.name, () => pastDay(world, random));
        addCase(spec, world, random, facts, `Z${random.int(100, 999)}`);
      }
    },
    make(input) {
      const { world, company, random } = input;
      const batch = newBatch(world, random);
      const caseIds = drawCases(input, policy.name, { drawDay: () => pastDay(world, random) }).map((facts) =>
        addCase(spec, world, random, facts, batch),
      );
      const { which, find } = nameBatch(spec, input, batch);
      return batchGoal(company, {
        family: name,
        policy: policy.name,
        table: 'entries',
        tool: spec.tool,
        caseIds,
        request: random.pick(spec.requests).replace('{which}', which),
        figures: spec.figures,
        answers: caseIds.flatMap((id) => answersOf(spec, world, id)),
        linked: (lookup, id) => [[{ table: 'parties', id: text(lookup.get('entries', id), 'party_id') }]],
        collect(oracle) {
          find(oracle);
          return oracle.list('ledger_list', { kind, batch }).map((row) => text(row, 'entry_id'));
        },
        prepare: (oracle, ids) => askAll(spec, oracle, ids),
        factsOf: (lookup, id) => factsOf(spec, lookup, id),
        fieldsOf: (lookup, id, outcome) => spec.fieldsOf(lookup.get('entries', id), outcome, lookup),
        change:
          spec.change === null
            ? null
            : (own, id) => changeCase(own, id, spec.change ?? { fields: {}, words: '' }),
      });
    },
  };
}

const animals = ['Heron', 'Lynx', 'Otter', 'Marten', 'Plover', 'Badger', 'Curlew', 'Weasel'];

/** How a request names a batch: by its number, or by a mail or a ticket in which the number stands. */
function nameBatch(
  { things }: RecordSpec,
  { world, random, level }: GoalInput,
  batch: string,
): { which: string; find: (oracle: Oracle) => void } {
  const way = level <= 1 ? 'number' : random.pick(['mail', 'ticket'] as const);
  if (way === 'number') return { which: `the ${things} of batch ${batch}`, find: () => undefined };
  if (way === 'mail') {
    const subject = `List of ${things}`;
    const writer = drawWriter(world, random, subject);
    world.put('mails', {
      mail_id: newId(world, 'M'),
      folder: 'inbox',
      from: text(writer, 'email'),
      from_name: text(writer, 'name'),
      to: ['office'],
      subject,
      at: `${dayAfter(world.today, -1)} 17:05`,
      body: `Hello,\n${random.pick(['the list is ready', 'I have put them together', 'they are all entered'])}: see batch ${batch} in the ledger. ${random.pick(['Nobody has looked at them yet.', 'They are as they came in.', 'I have not touched them.'])}\n${text(writer, 'name')}`,
    });
    return {
      which: `the ${things} that ${text(writer, 'also_called')} (${text(writer, 'name')}) announced by mail yesterday`,
      find(oracle) {
        const mails = oracle
          .list('mail_list', { from: text(writer, 'email') })
          .filter((mail) => mail['subject'] === subject);
        oracle.fetch(
          'mails',
          mails.slice(0, 1).map((mail) => text(mail, 'mail_id')),
        );
        oracle.rely(batch);
      },
    };
  }
  const titles = new Set(world.rows('tickets').map(({ title }) => title));
  const mark = drawNew(
    () => `${random.pick(animals)} ${random.int(11, 99)}`,
    (drawn) => titles.has(`${drawn}: ${things}`),
  );
  world.put('tickets', {
    ticket_id: newId(world, 'T'),
    kind: 'request',
    title: `${mark}: ${things}`,
    status: 'open',
    entry_id: null,
    parent_id: null,
    opened_on: dayAfter(world.today, -2),
    body: `Everything that belongs to this has been entered as batch ${batch} in the ledger.`,
  });
  return {
    which: `the ${things} of the ticket "${mark}"`,
    find(oracle) {
      const found = oracle.list('tickets_search', { words: mark });
      oracle.fetch(
        'tickets',
        found.map((ticket) => text(ticket, 'ticket_id')),
      );
      oracle.rely(batch);
    },
  };
}

/** Where the world keeps what only the party knows. */
function hidden(fact: string): string {
  return `_${fact}`;
}

function answersOf({ places }: RecordSpec, world: World, id: string): Answer[] {
  const entry = world.get('entries', id);
  return Object.entries(places).flatMap(([name, place]) => {
    const reply = place.in === 'reply' ? place.replies[text(entry, hidden(name))] : undefined;
    return reply === undefined ? [] : [{ from: [text(entry, 'party_id')], about: [id], reply }];
  });
}

function askAll({ places }: RecordSpec, oracle: Oracle, ids: readonly string[]): void {
  for (const [name, place] of Object.entries(places)) {
    if (place.in !== 'reply') continue;
    for (const id of ids) {
      const party = text(oracle.get('entries', id), 'party_id');
      const { reply } = oracle.call('ask', { to: party, about: id, question: 'Is this from you?' });
      const value = Object.entries(place.replies).find(([, own]) => own === reply)?.[0];
      oracle.learn(id, { [hidden(name)]: value ?? '' });
    }
  }
}

function addCase(spec: RecordSpec, world: World, random: Random, facts: Facts, batch: string): string {
  const day = String(facts['day']);
  const own: Record<string, Value> = {};
  const party: Record<string, Value> = {};
  const notes: string[] = [];
  for (const [name, place] of Object.entries(spec.places)) {
    const value = facts[name] ?? '';
    if (place.in === 'entry') own[place.field] = value;
    else if (place.in === 'party') party[place.field] = value;
    else if (place.in === 'days') own[place.field] = dayAfter(day, place.sign * Number(value));
    else if (place.in === 'years')
      party[place.field] = dayAfter(day, -Math.ceil(Number(value) * 365.25) - random.int(20, 330));
    else if (place.in === 'difference') own[place.of] = cents(Number(own[place.less]) + Number(value));
    else if (place.in === 'reply') own[hidden(name)] = value;
    else notes.push(random.pick(place.sentences[value] ?? ['']));
  }
  const partner = addParty(world, random, { kind: spec.partyKind, ...party });
  const entry_id = newId(world, spec.prefix);
  world.put('entries', {
    entry_id,
    kind: spec.kind,
    title: text(partner, 'name'),
    batch,
    party_id: text(partner, 'party_id'),
    day,
    day_of: spec.dayOf,
    amount: null,
    ...own,
    status: 'open',
    note: notes.join(' '),
    ...spec.entry(random, facts, partner),
  });
  return entry_id;
}

function factsOf({ places }: RecordSpec, lookup: Lookup, id: string): Facts {
  const entry = lookup.get('entries', id);
  const party = lookup.get('parties', text(entry, 'party_id'));
  const day = text(entry, 'day');
  const facts: Record<string, Value> = { day };
  for (const [name, place] of Object.entries(places)) {
    if (place.in === 'days') facts[name] = place.sign * daysBetween(day, text(entry, place.field));
    else if (place.in === 'years') facts[name] = yearsBetween(text(party, place.field), day);
    else if (place.in === 'difference')
      facts[name] = cents(number(entry, place.of) - number(entry, place.less));
    else if (place.in === 'reply') facts[name] = text(entry, hidden(name));
    else if (place.in === 'note') {
      const found = Object.entries(place.sentences).find(([, sentences]) =>
        sentences.some((one) => text(entry, 'note').includes(one)),
      );
      facts[name] = found?.[0] ?? '';
    } else {
      const cell = (place.in === 'entry' ? entry : party)[place.field];
      facts[name] = typeof cell === 'number' ? cell : String(cell);
    }
  }
  return facts;
}

function changeCase(
  world: World,
  id: string,
  { fields, words }: { readonly fields: Row; readonly words: string },
): void {
  world.edit('entries', id, fields);
  const party = world.get('parties', text(world.get('entries', id), 'party_id'));
  world.put('mails', {
    mail_id: world.newId('M'),
    folder: 'inbox',
    from: text(party, 'email'),
    from_name: text(party, 'contact'),
    to: ['office'],
    subject: `About ${id}`,
    at: world.now,
    body: `Good day,\n${words.replace('{id}', id)}\n${text(party, 'contact')}, ${text(party, 'name')}`,
  });
  world.unread += 1;
}
