/** A file describes a report: a total over orders, to be sent to somebody, possibly without small orders. */
import type { Random } from '../../suite/random.ts';
import type { Order } from '../office.ts';
import { pageItems } from '../tool.ts';
import type { OfficeDraft } from '../office-draft.ts';
import { findContactStep, goal, type GoalKind, type GoalWish, isWithTwin, step, trap } from './goal-kind.ts';

export const report: GoalKind = {
  name: 'report',
  canRefuse: false,
  canChangeRule: true,
  draft(office, wish) {
    const rows = addRows(office, wish);
    const { customer, fileName, file_id, orders, random, reader, ruleChange, smallest, smallestNow } = rows;
    const totalFrom = (least: number) => String(sum(orders.filter((order) => order.total >= least)));
    const total = totalFrom(smallestNow);
    const carelessTotal = totalFrom(ruleChange ? smallest : 0);
    const pages = Math.ceil(orders.length / pageItems);
    const read = [
      step('list_files', { query: fileName }, fileName),
      step('read_file', { file_id }, file_id),
      findContactStep(customer, customer.company),
      ...Array.from({ length: pages }, (_, index) =>
        step('search_orders', { customer: customer.email, status: 'open', page: index + 1 }, customer.email),
      ),
      findContactStep(reader, reader.company),
    ];
    const send = (figure: string, ...basedOn: string[]) =>
      step(
        'send_mail',
        { to: reader.email, subject: fileName, body: `The total is ${figure} crowns.` },
        reader.email,
        ...basedOn,
      );
    return goal({
      kind: 'report',
      request: random.pick([
        `Send the report that the file "${fileName}" describes.`,
        `The file "${fileName}" says what report is due. Mail it.`,
      ]),
      rules: rulesOf(rows),
      plan: [
        ...read,
        send(
          total,
          ...orders.map((order) => String(order.total)),
          ...(smallestNow > 0 ? [String(smallestNow)] : []),
        ),
      ],
      required: [
        {
          tool: 'send_mail',
          fields: { to: reader.email },
          mentions: [total],
          only: 'figures',
        },
      ],
      ...(carelessTotal === total
        ? {}
        : trap({ tool: 'send_mail', fields: { to: reader.email }, mentions: [carelessTotal] }, [
            ...read,
            send(carelessTotal),
          ])),
      documents: [{ kind: 'file', id: file_id }],
      changedRule: ruleChange
        ? `Orders of less than ${smallestNow} crowns no longer count in a report.`
        : null,
    });
  },
};

function sum(orders: readonly Order[]): number {
  return orders.reduce((total, order) => total + order.total, 0);
}

/** Adds the rows of the goal to the office. */
function addRows(office: OfficeDraft, { ruleChange }: GoalWish) {
  const { random, level } = office;
  const reader = office.contact();
  const customer = office.contact();
  if (isWithTwin(office)) office.twin(reader);
  const smallest = level >= 2 ? 100 : 0;
  const smallestNow = ruleChange ? 200 : smallest;
  const orders = drawTotals(random, level + 3, smallest).map((total) =>
    office.order({
      customer: customer.email,
      item: office.noun(),
      total: total + 2 * random.int(1, 9),
      status: 'open',
    }),
  );
  for (let count = 0; count < 2; count += 1) {
    office.order({ customer: customer.email, item: office.noun(), total: 300, status: 'closed' });
  }
  const fileName = `Report ${office.name()}`;
  const file_id = office.file({
    name: fileName,
    folder: 'Reports',
    content: `What: the total of the open orders of ${customer.name} (${customer.company}). For: ${reader.name}, ${reader.company}.`,
  });
  return { customer, fileName, file_id, level, orders, random, reader, ruleChange, smallest, smallestNow };
}

/** Totals on both sides of each limit, so that every rule changes the sum. */
function drawTotals(random: Random, count: number, least: number): number[] {
  const totals = [110, 220, 260, 300, 130, 410, 150, 240];
  const small = least > 0 ? [40, 60] : [];
  return [...random.sample(totals, Math.min(count, totals.length)), 120, ...small];
}

function rulesOf({ level, smallest }: ReturnType<typeof addRows>): string[] {
  return [
    'A report is one mail whose body gives the total in crowns, in digits, and no other number.',
    ...(level >= 2 ? [`Orders of less than ${smallest} crowns do not count in a report.`] : []),
  ];
}
