/** A customer wants an order sent to another address. Somebody else has to redirect what has already been shipped. */
import type { OfficeDraft } from '../office-draft.ts';
import { findContactStep, goal, type GoalKind, isWithTwin, step } from './goal-kind.ts';

export const address: GoalKind = {
  name: 'address',
  canRefuse: false,
  canChangeRule: false,
  draft(office) {
    const { carrier, customer, isShipped, item, mail_id, newAddress, order_id, random } = addRows(office);
    const read = [
      findContactStep(customer, customer.company),
      step('search_mail', { from: customer.email }, customer.email),
      step('read_mail', { mail_id }, mail_id),
      step('search_orders', { customer: customer.email, item }, customer.email, item),
      step('get_order', { order_id }, order_id),
    ];
    const update = step(
      'update_order',
      { order_id, field: 'address', value: newAddress },
      order_id,
      newAddress,
    );
    const body = `Please redirect order ${order_id} to ${newAddress}.`;
    const redirect = [
      findContactStep(carrier),
      step(
        'send_mail',
        { to: carrier.email, subject: `Order ${order_id}`, body },
        carrier.email,
        order_id,
        newAddress,
      ),
    ];
    return goal({
      kind: 'address',
      request: random.pick([
        `${customer.name} of ${customer.company} has written about a new delivery address. Take care of it.`,
        `Handle the address change that ${customer.name} (${customer.company}) has asked for by mail.`,
      ]),
      rules: [
        'The address of an order is changed in the order, exactly as the customer wrote it.',
        `An order with the status "shipped" is not changed. Instead, ${carrier.name}, the dispatcher, gets one mail that names the order id and the new address, and no other order or address.`,
      ],
      plan: isShipped ? [...read, ...redirect] : [...read, update],
      required: isShipped
        ? [
            {
              tool: 'send_mail',
              fields: { to: carrier.email },
              mentions: [order_id, newAddress],
              only: 'orders and addresses',
            },
          ]
        : [{ tool: 'update_order', fields: { order_id, field: 'address', value: newAddress } }],
      violations: isShipped ? [{ tool: 'update_order', fields: { order_id } }] : [],
      carelessPlan: isShipped ? [...read, update] : null,
      documents: [
        { kind: 'mail', id: mail_id },
        { kind: 'order', id: order_id },
      ],
    });
  },
};

/** Adds the rows of the goal to the office. */
function addRows(office: OfficeDraft) {
  const { random, level } = office;
  const isShipped = level >= 2 && random.chance(0.6);
  const customer = office.contact();
  if (isWithTwin(office)) {
    const twin = office.twin(customer);
    office.order({ customer: twin.email, item: office.noun(), total: 200, status: 'open' });
  }
  const carrier = office.contact({ role: 'dispatcher' });
  const item = office.noun();
  const order = office.order({
    customer: customer.email,
    item,
    total: 20 * random.int(4, 30),
    status: isShipped ? 'shipped' : random.pick(['open', 'packed'] as const),
  });
  office.order({
    customer: customer.email,
    item: office.noun(),
    total: 20 * random.int(4, 30),
    status: 'open',
  });
  const newAddress = `${random.int(1, 99)} ${office.name()} Road`;
  const mail_id = office.mail({
    from: customer.email,
    subject: 'We are moving',
    body: `Please send the ${item} that we have on order to ${newAddress} instead. Everything else stays as it is.`,
  });

  const { order_id } = order;
  return { carrier, customer, isShipped, item, mail_id, newAddress, order_id, random };
}
