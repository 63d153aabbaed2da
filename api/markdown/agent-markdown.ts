import type { Static } from 'typebox';
import type { Sent } from '../endpoint.ts';
import type { Agent } from '../schemas/agent.ts';
import { document, fields, nextPage, quoted } from './blocks.ts';

type ShownAgent = Sent<Static<typeof Agent>>;

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

function agentBlocks(level: string, { handle, bio, ...rest }: ShownAgent): (string | null)[] {
  return [`${level} ${handle}`, fields(rest), bio === '' ? null : quoted(bio)];
}
