/** The tools that only read. */
import { Type } from 'typebox';
import { type Office, orderStatuses } from './office.ts';
import { declareTool, matchesQuery, notFound, oneOf, page, pageOf, text } from './tool.ts';

const day = () =>
  Type.String({
    pattern: String.raw`^\d{4}-\d\d-\d\d$`,
    'x-rule': 'be a day such as "2031-05-14"',
    description: 'A day as YYYY-MM-DD.',
  });
const optional = Type.Optional;

export const searchMail = declareTool(
  {
    name: 'search_mail',
    description: 'Search received mail, newest first. Returns mails without their bodies.',
  },
  {
    query: optional(text('Words in the sender, the subject or the body.')),
    from: optional(text('Email address of the sender.')),
    page: page(),
  },
  ({ office }, { query, from, page: number }) =>
    pageOf(
      office.mails
        .filter((mail) => from === undefined || mail.from === from)
        .filter((mail) =>
          matchesQuery(query, [mail.from, senderName(office, mail.from), mail.subject, mail.body]),
        )
        .toSorted((left, right) => right.sent_at.localeCompare(left.sent_at))
        .map(({ mail_id, from: sender, subject, sent_at }) => ({ mail_id, from: sender, subject, sent_at })),
      number,
    ),
);

export const readMail = declareTool(
  { name: 'read_mail', description: 'Read one mail.' },
  { mail_id: text('Id of the mail.') },
  ({ office }, { mail_id }) => {
    const mail = office.mails.find((other) => other.mail_id === mail_id);
    return mail === undefined ? notFound('mail', mail_id) : { ...mail };
  },
);

export const findContact = declareTool(
  { name: 'find_contact', description: 'Search contacts by name, role, company or email address.' },
  { query: text('Words to look for.'), page: page() },
  ({ office }, { query, page: number }) =>
    pageOf(
      office.contacts.filter(({ name, role, company, email }) =>
        matchesQuery(query, [name, role, company, email]),
      ),
      number,
    ),
);

export const listEvents = declareTool(
  {
    name: 'list_events',
    description: 'List the events of one day, earliest first. Cancelled events are left out.',
  },
  { day: day(), attendee: optional(text('Only events that this email address attends.')) },
  ({ office }, { day: wanted, attendee }) => ({
    items: office.events
      .filter((event) => !event.cancelled && event.starts_at.startsWith(wanted))
      .filter((event) => attendee === undefined || event.attendees.includes(attendee))
      .toSorted((left, right) => left.starts_at.localeCompare(right.starts_at))
      .map(({ event_id, title, starts_at, minutes, attendees }) => ({
        event_id,
        title,
        starts_at,
        minutes,
        attendees,
      })),
  }),
);

export const listFiles = declareTool(
  { name: 'list_files', description: 'List files by words in their name or folder.' },
  { query: optional(text('Words in the name or the folder.')), page: page() },
  ({ office }, { query, page: number }) =>
    pageOf(
      office.files
        .filter(({ name, folder }) => matchesQuery(query, [name, folder]))
        .map(({ file_id, name, folder }) => ({ file_id, name, folder })),
      number,
    ),
);

export const readFile = declareTool(
  { name: 'read_file', description: 'Read one file.' },
  { file_id: text('Id of the file.') },
  ({ office }, { file_id }) => {
    const file = office.files.find((other) => other.file_id === file_id);
    return file === undefined ? notFound('file', file_id) : { ...file, shared_with: [...file.shared_with] };
  },
);

export const searchOrders = declareTool(
  { name: 'search_orders', description: 'Search orders, newest first.' },
  {
    customer: optional(text('Email address of the customer.')),
    item: optional(text('Words in the name of the item.')),
    status: optional(oneOf(orderStatuses, 'Status.')),
    page: page(),
  },
  ({ office }, { customer, item, status, page: number }) =>
    pageOf(
      office.orders
        .filter((order) => customer === undefined || order.customer === customer)
        .filter((order) => status === undefined || order.status === status)
        .filter((order) => matchesQuery(item, [order.item]))
        .toSorted((left, right) => right.ordered_on.localeCompare(left.ordered_on))
        .map(({ order_id, customer: buyer, item: name, total, status: state, ordered_on }) => ({
          order_id,
          customer: buyer,
          item: name,
          total,
          status: state,
          ordered_on,
        })),
      number,
    ),
);

export const getOrder = declareTool(
  { name: 'get_order', description: 'Read one order.' },
  { order_id: text('Id of the order.') },
  ({ office }, { order_id }) => {
    const order = office.orders.find((other) => other.order_id === order_id);
    return order === undefined ? notFound('order', order_id) : { ...order };
  },
);

function senderName(office: Office, email: string): string {
  return office.contacts.find((contact) => contact.email === email)?.name ?? '';
}
