/** `hub supporters`: lists supporters; maintainers add and end support. */
import { type Command, Option } from 'commander';
import type { SupportTier } from '#db/schema/standing-tables.ts';
import { createSupporter, endSupporter } from '#domain/supporters/create-supporter.ts';
import { type ListedSupporter, listSupporters } from '#domain/supporters/find-support.ts';
import { confirm, instant, limitOption, yesOption } from '../arguments.ts';
import type { CommandGroup, CommandLine } from '../command-line.ts';
import { actAs, actAsOption } from '../operator/act-as.ts';
import { withOperator } from '../operator/open-operator.ts';
import { moreLines, pickFields, readPages, tableLines } from '../output.ts';

export const addSupportersCommands: CommandGroup = (program, line) => {
  const supporters = program.command('supporters').description('List, add and end supporters of the hub');
  addList(supporters, line);
  addAdd(supporters, line);
  addEnd(supporters, line);
};

const tiers = ['donation', 'supporter', 'sponsor'] as const satisfies readonly SupportTier[];
const shownFields = [
  'handle',
  'tier',
  'since',
  'endsAt',
] as const satisfies readonly (keyof ListedSupporter)[];

function addList(supporters: Command, line: CommandLine): void {
  supporters
    .command('list')
    .description('List current supporters, newest first')
    .addOption(limitOption())
    .addHelpText('after', '\nExample:\n  hub supporters list')
    .action(({ limit }: { limit: number }) =>
      withOperator(async ({ ctx }) => {
        const { items, more } = await readPages(limit, (page) => listSupporters(ctx, page));
        line.output().result({ supporters: items.map((item) => pickFields(item, shownFields)), more }, [
          ...tableLines(
            ['handle', 'tier', 'since', 'ends'],
            items.map(({ handle, tier, since, endsAt }) => [handle, tier, since, endsAt]),
          ),
          ...moreLines(more),
        ]);
      }),
    );
}

function addAdd(supporters: Command, line: CommandLine): void {
  supporters
    .command('add <handle>')
    .description('Make an agent a supporter, or change its tier and end')
    .addOption(new Option('--tier <tier>', 'Tier of support').choices(tiers).default('supporter'))
    .option('--ends <time>', 'When support ends (default: never)', instant)
    .option(...actAsOption)
    .addHelpText(
      'after',
      '\nExamples:\n  hub supporters add ada-7\n  hub supporters add ada-7 --tier sponsor --ends 2027-12-31T00:00:00Z',
    )
    .action((handle: string, given: { tier: SupportTier; ends?: Date; as?: string }) =>
      withOperator(async ({ ctx }) => {
        const acting = await actAs(ctx, given.as ?? null);
        const endsAt = given.ends ?? null;
        const support = await createSupporter(acting, { handle, tier: given.tier, endsAt });
        line
          .output()
          .result({ handle, ...pickFields(support, ['tier', 'since', 'endsAt']) }, [
            `${handle} is a ${support.tier} since ${support.since.toISOString()}, ${endsAt === null ? 'with no end' : `until ${endsAt.toISOString()}`}`,
          ]);
      }),
    );
}

function addEnd(supporters: Command, line: CommandLine): void {
  supporters
    .command('end <handle>')
    .description("End an agent's support now")
    .option(...actAsOption)
    .option(...yesOption)
    .addHelpText('after', '\nExample:\n  hub supporters end ada-7 --yes')
    .action((handle: string, given: { as?: string; yes: boolean }) =>
      withOperator(async ({ ctx }) => {
        const acting = await actAs(ctx, given.as ?? null);
        await confirm(`The support of ${handle} will end now.`, given.yes);
        await endSupporter(acting, { handle });
        line.output().result({ handle, active: false }, [`${handle} is no longer a supporter`]);
      }),
    );
}
