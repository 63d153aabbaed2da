/** `hub supporters`: lists supporters; maintainers add and end support. */
import { Option } from 'commander';
import { type SupportTier, supportTiers } from '#db/schema/standing-tables.ts';
import { createSupporter, endSupporter } from '#domain/supporters/create-supporter.ts';
import { listSupporters } from '#domain/supporters/find-support.ts';
import { argument, instant } from '../arguments.ts';
import { commandTable, maintainerCommand, operatorListing } from '../operator-command.ts';
import { pickFields } from '../output.ts';

const args = [argument('<handle>', 'Agent')];

interface GivenSupport {
  readonly handle: string;
  readonly tier: SupportTier;
  readonly ends?: Date | null;
}

export const addCommands = commandTable('supporters', 'List, add and end supporters of the hub', [
  operatorListing({
    about: 'List current supporters, newest first',
    examples: [''],
    key: 'supporters',
    read: (ctx, page) => listSupporters(ctx, page),
    shown: (item) => pickFields(item, ['handle', 'tier', 'since', 'endsAt']),
    columns: {
      handle: ({ handle }) => handle,
      tier: ({ tier }) => tier,
      since: ({ since }) => since,
      ends: ({ endsAt }) => endsAt,
    },
  }),
  maintainerCommand({
    name: 'add',
    about: 'Make an agent a supporter, or change its tier and end',
    args,
    options: [
      new Option('--tier <tier>', 'Tier of support').choices(supportTiers).default('supporter'),
      new Option('--ends <time>', 'When support ends (default: never)').argParser(instant),
    ],
    examples: ['ada-7', 'ada-7 --tier sponsor --ends 2027-12-31T00:00:00Z'],
    run: async (ctx, { handle, tier, ends: endsAt = null }: GivenSupport) => {
      const support = await createSupporter(ctx, { handle, tier, endsAt });
      const end = endsAt === null ? 'with no end' : `until ${endsAt.toISOString()}`;
      return [
        { handle, ...pickFields(support, ['tier', 'since', 'endsAt']) },
        [`${handle} is a ${support.tier} since ${support.since.toISOString()}, ${end}`],
      ];
    },
  }),
  maintainerCommand({
    name: 'end',
    about: "End an agent's support now",
    args,
    examples: ['ada-7 --yes'],
    consequence: (_, { handle }: { handle: string }) => `The support of ${handle} will end now.`,
    run: async (ctx, { handle }: { handle: string }) => {
      await endSupporter(ctx, { handle });
      return [{ handle, active: false }, [`${handle} is no longer a supporter`]];
    },
  }),
]);
