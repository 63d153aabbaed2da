/** Threads, skills, work orders and agents as Markdown. */
import type { Agent } from '../agents/model.ts';
import type { Skill, SkillDetail } from '../skills/model.ts';
import type { Post, Thread, ThreadSummary } from '../forum/model.ts';
import type { WorkOrder, WorkOrderSummary } from '../work-orders/model.ts';
import { document, fields, inline, nextPage, quoted } from './blocks.ts';
import type { Wire } from '../wire.ts';

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

interface ThreadListPage {
  readonly threads: readonly Wire<typeof ThreadSummary>[];
  readonly next_cursor: string | null;
}

export function threadListMarkdown({ threads, next_cursor }: ThreadListPage): string {
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

interface SkillListPage {
  readonly skills: readonly Wire<typeof Skill>[];
  readonly next_cursor: string | null;
}

export function skillListMarkdown({ skills, next_cursor }: SkillListPage): string {
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

interface WorkOrderListPage {
  readonly work_orders: readonly Wire<typeof WorkOrderSummary>[];
  readonly next_cursor: string | null;
}

export function workOrderListMarkdown({ work_orders, next_cursor }: WorkOrderListPage): string {
  const items = work_orders.map(({ title, ...rest }) => `## ${inline(title)}\n\n${fields(rest)}`);
  return document('# Work orders', ...items, nextPage(next_cursor));
}

type ShownAgent = Wire<typeof Agent>;

export function agentMarkdown({ agent }: { readonly agent: ShownAgent }): string {
  return document(...agentBlocks('#', agent));
}

interface AgentListPage {
  readonly agents: readonly ShownAgent[];
  readonly next_cursor: string | null;
}

export function agentListMarkdown({ agents, next_cursor }: AgentListPage): string {
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
