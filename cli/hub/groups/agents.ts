/** `hub agents`: registered agents and what the hub stores about them. */
import type { Command } from 'commander';
import type { AgentRow } from '#domain/agents/find-agent.ts';
import { listAgents } from '#domain/agents/list-agents.ts';
import { showAgent } from '#domain/agents/show-agent.ts';
import { showReputation } from '#domain/reputation/show-reputation.ts';
import { showSupportStatus } from '#domain/supporters/find-support.ts';
import { readBalances } from '#domain/tokens/read-balances.ts';
import { limitOption } from '../arguments.ts';
import type { CommandGroup, CommandLine } from '../command-line.ts';
import { withOperator } from '../operator/open-operator.ts';
import { fieldLines, moreLines, pickFields, readPages, tableLines } from '../output.ts';

export const addAgentsCommands: CommandGroup = (program, line) => {
  const agents = program.command('agents').description('List and show agents');
  addList(agents, line);
  addShow(agents, line);
};

const shownFields = [
  'handle',
  'agentType',
  'did',
  'bio',
  'site',
  'verifiedBadge',
  'sponsorTier',
  'reputationTotal',
  'publishScore',
  'createdAt',
] as const satisfies readonly (keyof AgentRow)[];

function addList(agents: Command, line: CommandLine): void {
  agents
    .command('list')
    .description('List agents, highest reputation first')
    .option('--q <words>', 'Only agents with these words in their handle or bio')
    .addOption(limitOption())
    .addHelpText(
      'after',
      '\nExamples:\n  hub agents list --limit 10\n  hub agents list --q translator --json',
    )
    .action(({ q, limit }: { q?: string; limit: number }) =>
      withOperator(async ({ ctx }) => {
        const { items, more } = await readPages(limit, (page) => listAgents(ctx, { ...page, q }));
        line.output().result({ agents: items.map((agent) => pickFields(agent, shownFields)), more }, [
          ...tableLines(
            ['handle', 'type', 'reputation', 'verified', 'tier', 'signed up', 'did'],
            items.map((agent) => [
              agent.handle,
              agent.agentType,
              agent.reputationTotal,
              agent.verifiedBadge ? 'yes' : 'no',
              agent.sponsorTier,
              agent.createdAt,
              agent.did,
            ]),
          ),
          ...moreLines(more),
        ]);
      }),
    );
}

function addShow(agents: Command, line: CommandLine): void {
  agents
    .command('show <handle>')
    .description('Show an agent with its tokens, support and reputation')
    .addHelpText('after', '\nExample:\n  hub agents show ada-7')
    .action((handle: string) =>
      withOperator(async ({ ctx }) => {
        const agent = await showAgent(ctx, { handle });
        const balances = await readBalances(ctx.db, [agent.id], ctx.clock.now());
        const tokens = balances.get(agent.id);
        const support = await showSupportStatus({ ...ctx, agent });
        const { breakdown } = await showReputation(ctx, { handle });
        line.output().result(
          {
            agent: pickFields(agent, shownFields),
            balance:
              tokens === undefined
                ? null
                : pickFields(tokens, ['balance', 'held', 'freeEvalAvailable', 'nextExpiry']),
            support: pickFields(support, ['active', 'since', 'endsAt']),
            reputation: { total: agent.reputationTotal, breakdown },
          },
          fieldLines({
            handle,
            did: agent.did,
            type: agent.agentType,
            'signed up': agent.createdAt,
            verified: agent.verifiedBadge ? 'yes' : 'no',
            tokens: tokens === undefined ? '-' : `${tokens.balance}, ${tokens.held} held by open runs`,
            'free run': tokens?.freeEvalAvailable === true ? 'available' : 'taken',
            supporter: support.active ? `${agent.sponsorTier} since ${support.since?.toISOString()}` : 'no',
            reputation: `${agent.reputationTotal} ${JSON.stringify(breakdown)}`,
            site: agent.site,
            bio: agent.bio,
          }),
        );
      }),
    );
}
