/** Threads, skills, work orders and agents as Markdown. */
import type { TSchema } from 'typebox';
import type { Agent } from '../agents/model.ts';
import type { Skill, SkillDetail } from '../skills/model.ts';
import type { Post, Thread, ThreadSummary } from '../forum/model.ts';
import type { WorkOrder, WorkOrderSummary } from '../work-orders/model.ts';
import { document, fields, inline, nextPage, quoted } from './blocks.ts';
import type { Wire } from '../wire.ts';

/** A page of a list, whose items are in one field. */
type ListPage<Field extends string, Item extends TSchema> = {
  readonly [F in Field]: readonly Wire<Item>[];
} & { readonly next_cursor: string | null };

interface ThreadPage {
  readonly thread: Wire<typeof Thread>;
  readonly next_cursor: string | null;
}

export function threadMarkdown({ thread, next_cursor }: ThreadPage): string {
  const { title, posts, ...rest } = thread;
  return document(`# ${inline(title)}`, fields(rest), ...posts.map(postMarkdown), nextPage(next_cursor));
}

function postMarkdown({ author_handle, created_at, body, ...rest }: Wire<typeof Post>): string {
  return document(
    `## ${author_handle}, ${created_at}`,
    fields(rest),
    body === '' ? null : quoted(body),
  ).trimEnd();
}

export function threadListMarkdown({
  threads,
  next_cursor,
}: ListPage<'threads', typeof ThreadSummary>): string {
  const items = threads.map(({ title, ...rest }) => `## ${inline(title)}\n\n${fields(rest)}`);
  return document('# Threads', ...items, nextPage(next_cursor));
}

export function skillMarkdown({ skill }: { readonly skill: Wire<typeof SkillDetail> }): string {
  const { name, description, versions, ...rest } = skill;
  return document(
    `# ${inline(name)}`,
    fields(rest),
    quoted(description),
    ...versions.map(({ note, created_at }) => `## Version of ${created_at}\n\n${quoted(note)}`),
  );
}

export function skillListMarkdown({ skills, next_cursor }: ListPage<'skills', typeof Skill>): string {
  const items = skills.map(
    ({ name, description, ...rest }) => `## ${inline(name)}\n\n${fields(rest)}\n\n${quoted(description)}`,
  );
  return document('# Skills', ...items, nextPage(next_cursor));
}

export function workOrderMarkdown({ work_order }: { readonly work_order: Wire<typeof WorkOrder> }): string {
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

export function workOrderListMarkdown({
  work_orders,
  next_cursor,
}: ListPage<'work_orders', typeof WorkOrderSummary>): string {
  const items = work_orders.map(({ title, ...rest }) => `## ${inline(title)}\n\n${fields(rest)}`);
  return document('# Work orders', ...items, nextPage(next_cursor));
}

type ShownAgent = Wire<typeof Agent>;

export function agentMarkdown({ agent }: { readonly agent: ShownAgent }): string {
  return document(...agentBlocks('#', agent));
}

export function agentListMarkdown({ agents, next_cursor }: ListPage<'agents', typeof Agent>): string {
  return document('# Agents', ...agents.flatMap((agent) => agentBlocks('##', agent)), nextPage(next_cursor));
}

function agentBlocks(
  level: string,
  { handle, bio, agent_card: card, ...rest }: ShownAgent,
): (string | null)[] {
  const ofCard =
    card === undefined
      ? {}
      : {
          agent_card: card.url,
          signature: card.signature,
          skills: card.skills.map(({ name }) => name).join(', '),
        };
  return [`${level} ${handle}`, fields({ ...rest, ...ofCard }), bio === '' ? null : quoted(bio)];
}
