/** How a request names the entries that it is about, and how the reference finds them. */
import type { Random } from '../../random.ts';
import { drawNew, drawWriter, newId, receiveMail } from '../company.ts';
import { dayAfter } from '../days.ts';
import type { Facts } from '../manual/rules.ts';
import type { Oracle } from '../oracle.ts';
import type { GoalInput } from '../tasks.ts';
import { type Row, text, type Office } from '../office.ts';

export interface NamedBatch {
  /** As the end of a request. */
  readonly which: string;
  /** Finds the ids of the entries through tools. */
  readonly find: (oracle: Oracle) => string[];
}

const animals = ['Heron', 'Lynx', 'Otter', 'Marten', 'Plover', 'Badger', 'Curlew', 'Weasel'];

/** By its number, or by a mail or a ticket in which the number stands. */
export function nameBatch(
  { things, kind }: { readonly things: string; readonly kind: string },
  { office, random, dials }: GoalInput,
  batch: string,
): NamedBatch {
  const listed = (oracle: Oracle) => {
    return oracle.list('ledger_list', { kind, batch }).map((row) => text(row, 'entry_id'));
  };
  const way = dials.isNumbered ? 'number' : random.pick(['mail', 'ticket'] as const);
  if (way === 'number') return { which: `the ${things} of batch ${batch}`, find: listed };
  const find = (look: (oracle: Oracle) => void) => (oracle: Oracle) => {
    look(oracle);
    oracle.rely(batch);
    return listed(oracle);
  };
  if (way === 'mail') {
    const subject = `List of ${things}`;
    const writer = drawWriter(office, random, subject);
    const [from, name] = [text(writer, 'email'), text(writer, 'name')];
    const done = random.pick(['the list is ready', 'I have put them together', 'they are all entered']);
    const state = random.pick(['Nobody has looked at them yet.', 'I have not touched them.']);
    receiveMail(office, newId(office, 'M'), from, name, {
      subject,
      at: `${dayAfter(office.today, -1)} 17:05`,
      body: `${done}: see batch ${batch} in the ledger. ${state}`,
    });
    return {
      which: `the ${things} that ${text(writer, 'also_called')} (${name}) announced by mail yesterday`,
      find: find((oracle) => {
        const mails = oracle.list('mail_list', { from }).filter((mail) => mail['subject'] === subject);
        oracle.fetch('mails', mails.slice(0, 1));
      }),
    };
  }
  const mark = drawNew(
    () => `${random.pick(animals)} ${random.int(11, 99)}`,
    (drawn) => isTaken(office, `${drawn}: ${things}`),
  );
  const body = `Everything that belongs to this has been entered as batch ${batch} in the ledger.`;
  openTicket(office, { kind: 'request', title: `${mark}: ${things}`, body });
  return {
    which: `the ${things} of the ticket "${mark}"`,
    find: find((oracle) => oracle.fetch('tickets', oracle.list('tickets_search', { words: mark }))),
  };
}

function isTaken(office: Office, title: string): boolean {
  return office.rows('tickets').some((row) => row['title'] === title);
}

function openTicket(office: Office, fields: Row): string {
  const ticket_id = newId(office, 'T');
  const opened_on = dayAfter(office.today, -2);
  office.put('tickets', { ticket_id, status: 'open', entry_id: null, parent_id: null, opened_on, ...fields });
  return ticket_id;
}

export interface Incident extends NamedBatch {
  /** Of the ticket under which the complaints are filed. */
  readonly id: string;
  /** Facts that all cases have. */
  readonly fixed: Facts;
}

const sites = ['Ghent', 'Turin', 'Gdansk', 'Bilbao', 'Brno', 'Porto'];

function titleOf(product: Row, site: string): string {
  return `Trouble with ${text(product, 'also_called')} from ${site}`;
}

/** An incident with a product, which the request names in other words than the ticket. */
export function openIncident(office: Office, random: Random): Incident {
  const products = office.rows('entries').filter((row) => row['kind'] === 'product');
  const { product, site } = drawNew(
    () => ({ product: random.pick(products), site: random.pick(sites) }),
    (drawn) => isTaken(office, titleOf(drawn.product, drawn.site)),
  );
  const id = openTicket(office, {
    kind: 'incident',
    title: titleOf(product, site),
    body: `What left the warehouse in ${site} was in a bad state or too late. The complaints are filed under this ticket.`,
  });
  const productId = text(product, 'entry_id');
  return {
    id,
    fixed: { group: text(product, 'product_group') },
    which: `the complaints about the ${text(product, 'title')} from ${site}`,
    find(oracle) {
      oracle.list('ledger_search', { words: `${text(product, 'title')} product` });
      oracle.fetch('entries', [productId]);
      const called = text(oracle.get('entries', productId), 'also_called');
      const [found] = oracle.list('tickets_search', { words: `${called} ${site}` });
      const own = oracle.list('tickets_list', { parent_id: text(found ?? {}, 'ticket_id') });
      return own.map((row) => text(row, 'entry_id'));
    },
  };
}
