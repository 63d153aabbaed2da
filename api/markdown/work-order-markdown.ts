import type { Static } from 'typebox';
import type { Sent } from '../endpoint.ts';
import type { WorkOrder, WorkOrderSummary } from '../schemas/work-order.ts';
import { document, fields, inline, nextPage, quoted } from './blocks.ts';

export function workOrderMarkdown({
  work_order,
}: {
  readonly work_order: Sent<Static<typeof WorkOrder>>;
}): string {
  const { title, description, events, ...rest } = work_order;
  return document(
    `# ${inline(title)}`,
    fields(rest),
    '## Description',
    quoted(description),
    '## Audit trail',
    ...events.map(({ note, ...event }) =>
      document(fields(event), note === null || note === '' ? null : quoted(note)).trimEnd(),
    ),
  );
}

interface WorkOrderListPage {
  readonly work_orders: readonly Sent<Static<typeof WorkOrderSummary>>[];
  readonly next_cursor: string | null;
}

export function workOrderListMarkdown({ work_orders, next_cursor }: WorkOrderListPage): string {
  const items = work_orders.map(({ title, ...rest }) => `## ${inline(title)}\n\n${fields(rest)}`);
  return document('# Work orders', ...items, nextPage(next_cursor));
}
