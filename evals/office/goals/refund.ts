/** A customer has written about a delivery. The rules say how much to refund. */
import { dayAfter, type OfficeDraft } from '../office-draft.ts';
import { findContactStep, goal, type GoalKind, type GoalWish, isWithTwin, step, trap } from './goal-kind.ts';

type Reason = 'damaged' | 'late' | 'unwanted';

const complaints: Record<Reason, readonly string[]> = {
  damaged: ['it arrived damaged', 'it was damaged when we opened the box'],
  late: ['it came late, well after the day we had agreed', 'it reached us late'],
  unwanted: [
    'it works, but it turned out to be unwanted',
    'nothing is wrong with it, it is just unwanted here',
  ],
};

export const refund: GoalKind = {
  name: 'refund',
  canRefuse: true,
  canChangeRule: true,
  draft(office, wish) {
    const rows = addRows(office, wish);
    const {
      asks,
      customer,
      latePercent,
      level,
      mail_id,
      order,
      random,
      reason,
      refuse,
      ruleChange,
      terms,
      total,
    } = rows;
    const { order_id } = order;
    const { due, amount, carelessAmount } = amountsOf(rows);
    const read = [
      findContactStep(customer, customer.company),
      step('search_mail', { from: customer.email }, customer.email),
      step('read_mail', { mail_id }, mail_id),
      step('get_order', { order_id }, order_id),
    ];
    const write = (sum: number, ...basedOn: string[]) =>
      step('refund_order', { order_id, amount: sum }, order_id, String(total), ...basedOn);
    const rightWrite = asks
      ? [step('ask_user', { question: `May I refund ${due} crowns?` }), write(amount, String(amount))]
      : [write(amount, reason, `${latePercent} %`)];
    return goal({
      kind: 'refund',
      request: random.pick([
        `${customer.name} of ${customer.company} has written about a delivery. Give the refund that the rules provide for.`,
        `Look at the complaint by ${customer.name} (${customer.company}) and refund what the rules say.`,
      ]),
      rules: rulesOf(rows),
      plan: refuse ? read : [...read, ...rightWrite],
      required: refuse ? [] : [{ tool: 'refund_order', fields: { order_id, amount } }],
      ...(level === 1
        ? {}
        : trap({ tool: 'refund_order', fields: { order_id, amount: carelessAmount } }, [
            ...read,
            write(carelessAmount),
          ])),
      ask: asks ? { reply: `Refund ${amount} crowns, no more.`, before: 'refund_order' } : null,
      refuse,
      evidence: [order_id, order.ordered_on],
      documents: [
        { kind: 'mail', id: mail_id },
        { kind: 'order', id: order_id },
      ],
      changedRule: ruleChange
        ? `A late item is now refunded with ${terms.newLatePercent} % of the order's total.`
        : null,
    });
  },
};

function drawTerms({ random }: OfficeDraft) {
  const [latePercent = 20, newLatePercent = 30] = random.sample([20, 25, 30, 40], 2);
  return { latePercent, newLatePercent, days: random.int(12, 30) };
}

/** Adds the rows of the goal to the office. */
function addRows(office: OfficeDraft, { refuse, mayAsk, ruleChange }: GoalWish) {
  const { random, level } = office;
  const asks = !refuse && !ruleChange && mayAsk && level >= 2;
  const reason: Reason = refuse ? 'unwanted' : ruleChange || level >= 2 ? 'late' : 'damaged';
  const terms = drawTerms(office);
  const latePercent = ruleChange ? terms.newLatePercent : terms.latePercent;

  const customer = office.contact();
  if (isWithTwin(office)) {
    const twin = office.twin(customer);
    office.order({ customer: twin.email, item: office.noun(), total: 20 * random.int(10, 40) });
    office.mail({ from: twin.email, subject: 'Thank you', body: 'The last delivery was fine.' });
  }
  const total = asks ? 100 * random.int(6, 9) : 100 * random.int(2, 4);
  const ordered_on = dayAfter(
    office.today,
    -(refuse ? terms.days + random.int(2, 20) : random.int(2, terms.days - 1)),
  );
  const order = office.order({ customer: customer.email, item: office.noun(), total, ordered_on });
  const other = office.order({
    customer: customer.email,
    item: office.noun(),
    total: 100 * random.int(2, 4),
  });
  const aside = level >= 3 ? ` Order ${other.order_id} was fine, this is not about that one.` : '';
  const mail_id = office.mail({
    from: customer.email,
    subject: `Our ${order.item}`,
    body: `Hello, we have order ${order.order_id} from you. Sadly ${random.pick(complaints[reason])}.${aside} What can you do?`,
  });
  return {
    asks,
    customer,
    latePercent,
    level,
    mail_id,
    order,
    random,
    reason,
    refuse,
    ruleChange,
    terms,
    total,
  };
}

function rulesOf({ terms }: ReturnType<typeof addRows>): string[] {
  return [
    `A damaged item is refunded in full, a late one with ${terms.latePercent} % of the order's total.`,
    `An unwanted item is refunded in full if it was ordered at most ${terms.days} days ago, and not at all after that.`,
    'A refund of more than 100 crowns for an order of more than 500 crowns needs the approval of the user, who decides on the amount.',
  ];
}

/** The refund by the rules, the refund that the user approves, and the refund of an agent that reads neither. */
function amountsOf({ asks, reason, ruleChange, terms, total, latePercent }: ReturnType<typeof addRows>) {
  const due = reason === 'damaged' ? total : (total * latePercent) / 100;
  const byOldRule = reason === 'late' && ruleChange ? (total * terms.latePercent) / 100 : total;
  return { due, amount: asks ? due - 10 : due, carelessAmount: asks ? due : byOldRule };
}
