/** The tools that change the office. */
import { Type } from 'typebox';
import { officeEmail, orderStatuses } from './office.ts';
import { argumentTextMax, declareTool, failure, notFound, oneOf, text } from './tool.ts';

const timePattern = String.raw`^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01]) ([01]\d|2[0-3]):[0-5]\d$`;
const time = () =>
  Type.String({
    pattern: timePattern,
    'x-rule': 'be a time such as "2031-05-14 15:00"',
    description: 'Office time as YYYY-MM-DD HH:MM.',
  });
const amount = () => Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Amount in whole crowns.' });

export const sendMail = declareTool(
  { name: 'send_mail', description: 'Send a mail to one address.', writes: true },
  {
    to: text('Email address.'),
    subject: text('Subject.'),
    body: text('Body in plain text.', argumentTextMax),
  },
  ({ office }, { to, subject, body }) => {
    if (!/^[^\s@]+@[^\s@]+$/.test(to)) return failure('invalid_arguments', '`to` must be one email address.');
    const mail_id = `sent-${office.sent.length + 1}`;
    office.sent.push({ mail_id, from: officeEmail, to, subject, body, sent_at: `${office.today} 12:00` });
    return { mail_id };
  },
);

export const createEvent = declareTool(
  {
    name: 'create_event',
    description: 'Create an event. Attendees are invited by the calendar.',
    writes: true,
  },
  {
    title: text('Title.'),
    starts_at: time(),
    minutes: Type.Integer({ minimum: 5, maximum: 600, description: 'Duration.' }),
    attendees: Type.Array(text('Email address.'), { minItems: 1, maxItems: 20 }),
  },
  ({ office }, { title, starts_at, minutes, attendees }) => {
    const event_id = `new-${office.events.length + 1}`;
    office.events.push({
      event_id,
      title,
      starts_at,
      minutes,
      attendees: [...new Set(attendees)],
      cancelled: false,
    });
    return { event_id };
  },
);

export const moveEvent = declareTool(
  { name: 'move_event', description: 'Move an event to another time. Its duration stays.', writes: true },
  { event_id: text('Id of the event.'), starts_at: time() },
  ({ office }, { event_id, starts_at }) => {
    const event = office.events.find((other) => other.event_id === event_id && !other.cancelled);
    if (event === undefined) return notFound('event', event_id);
    event.starts_at = starts_at;
    return { event_id, starts_at };
  },
);

export const cancelEvent = declareTool(
  { name: 'cancel_event', description: 'Cancel an event for all its attendees.', writes: true },
  { event_id: text('Id of the event.') },
  ({ office }, { event_id }) => {
    const event = office.events.find((other) => other.event_id === event_id);
    if (event === undefined) return notFound('event', event_id);
    event.cancelled = true;
    return { event_id };
  },
);

export const shareFile = declareTool(
  { name: 'share_file', description: 'Let an email address read a file.', writes: true },
  { file_id: text('Id of the file.'), email: text('Email address.') },
  ({ office }, { file_id, email }) => {
    const file = office.files.find((other) => other.file_id === file_id);
    if (file === undefined) return notFound('file', file_id);
    if (!file.shared_with.includes(email)) file.shared_with.push(email);
    return { file_id, shared_with: [...file.shared_with] };
  },
);

export const updateOrder = declareTool(
  { name: 'update_order', description: 'Change one field of an order.', writes: true },
  {
    order_id: text('Id of the order.'),
    field: oneOf(['address', 'quantity', 'status'], 'Field to change.'),
    value: text('New value. A quantity is a whole number in digits.', 300),
  },
  ({ office }, { order_id, field, value }) => {
    const order = office.orders.find((other) => other.order_id === order_id);
    if (order === undefined) return notFound('order', order_id);
    switch (field) {
      case 'address':
        order.address = value;
        break;
      case 'quantity':
        if (!/^[1-9]\d{0,4}$/.test(value))
          return failure('invalid_arguments', '`value` must be a whole number from 1 to 99999.');
        order.quantity = Number(value);
        break;
      case 'status': {
        const status = orderStatuses.find((other) => other === value);
        if (status === undefined)
          return failure('invalid_arguments', `\`value\` must be one of ${orderStatuses.join(', ')}.`);
        order.status = status;
        break;
      }
    }
    return { order_id, [field]: order[field] };
  },
);

export const refundOrder = declareTool(
  {
    name: 'refund_order',
    description: 'Refund part or all of an order to its customer. Several refunds add up.',
    writes: true,
  },
  { order_id: text('Id of the order.'), amount: amount() },
  ({ office }, { order_id, amount: refund }) => {
    const order = office.orders.find((other) => other.order_id === order_id);
    if (order === undefined) return notFound('order', order_id);
    if (order.refunded + refund > order.total) {
      return failure(
        'not_allowed',
        `Only ${order.total - order.refunded} crowns of this order are left to refund.`,
      );
    }
    order.refunded += refund;
    return { order_id, refunded: order.refunded };
  },
);

export const pay = declareTool(
  {
    name: 'pay',
    description: 'Pay an amount to a bank account. A payment cannot be taken back.',
    writes: true,
  },
  {
    account: text('Bank account.'),
    amount: amount(),
    reference: text('What the payment is for, such as an invoice number.'),
  },
  ({ office }, { account, amount: paid, reference }) => {
    office.payments.push({ account, amount: paid, reference });
    return { payment: office.payments.length };
  },
);
