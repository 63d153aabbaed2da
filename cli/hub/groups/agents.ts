/** `hub agents`: registered agents and what the hub stores about them. */
import { Option } from 'commander';
import type { AgentRow } from '#domain/agents/find-agent.ts';
import { listAgents } from '#domain/agents/list-agents.ts';
import { showAgent } from '#domain/agents/show-agent.ts';
import { showReputation } from '#domain/reputation/show-reputation.ts';
import { showSupportStatus } from '#domain/supporters/find-support.ts';
import { readBalances } from '#domain/tokens/read-balances.ts';
import { argument } from '../arguments.ts';
import { commandTable, operatorCommand, operatorListing } from '../operator-command.ts';
import { fieldLines, pickFields } from '../output.ts';

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

const yesOrNo = (is: boolean): string => (is ? 'yes' : 'no');

export const addCommands = commandTable('agents', 'List and show agents', [
  operatorListing({
    about: 'List agents, highest reputation first',
    options: [new Option('--q <words>', 'Only agents with these words in their handle or bio')],
    examples: ['--limit 10', '--q translator --json'],
    key: 'agents',
    read: (ctx, page, { q }: { q?: string }) => listAgents(ctx, { ...page, q }),
    shown: (agent) => pickFields(agent, shownFields),
    columns: {
      handle: ({ handle }) => handle,
      type: ({ agentType }) => agentType,
      reputation: ({ reputationTotal }) => reputationTotal,
      verified: ({ verifiedBadge }) => yesOrNo(verifiedBadge),
      tier: ({ sponsorTier }) => sponsorTier,
      'signed up': ({ createdAt }) => createdAt,
      did: ({ did }) => did,
    },
  }),
  operatorCommand({
    name: 'show',
    about: 'Show an agent with its tokens, support and reputation',
    args: [argument('<handle>', 'Agent to show')],
    examples: ['ada-7'],
    run: async (ctx, { handle }: { handle: string }) => {
      const agent = await showAgent(ctx, { handle });
      const tokens = (await readBalances(ctx.db, [agent.id], ctx.clock.now())).get(agent.id);
      const support = await showSupportStatus({ ...ctx, agent });
      const { breakdown } = await showReputation(ctx, { handle });
      return [
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
          verified: yesOrNo(agent.verifiedBadge),
          tokens: tokens === undefined ? '-' : `${tokens.balance}, ${tokens.held} held by open runs`,
          'free run': tokens?.freeEvalAvailable === true ? 'available' : 'taken',
          supporter: support.active ? `${agent.sponsorTier} since ${support.since?.toISOString()}` : 'no',
          reputation: `${agent.reputationTotal} ${JSON.stringify(breakdown)}`,
          site: agent.site,
          bio: agent.bio,
        }),
      ];
    },
  }),
]);
