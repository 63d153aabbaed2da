/** The commands of operators as tables: their words, what they do on the stores, and how the result is printed. */
import { type Argument, type Command, Option } from 'commander';
import { findMaintainers } from '#domain/agents/maintainers.ts';
import type { AgentCtx, Ctx } from '#domain/context.ts';
import type { Page, PageInput } from '#domain/paging.ts';
import { StartError } from '#runtime/process/start-error.ts';
import { confirm, limitOption, WrongCommandLine, yesOption } from './arguments.ts';
import type { CommandGroup, CommandLine } from './command-line.ts';
import { type Operator, withOperator } from './operator/open-operator.ts';
import { type Cell, type Output, tableOf } from './output.ts';

/** What `--json` prints, and the lines for people. */
type Printed = readonly [json: object, lines: readonly string[]];

/** @template Given the arguments and options by name, as Commander reads them */
interface OperatorCommand<Given, Acting extends Ctx> {
  readonly name: string;
  readonly about: string;
  readonly args?: readonly Argument[];
  readonly options?: readonly Option[];
  /** Printed before the examples. */
  readonly help?: string;
  /** What follows the name of the command in each. */
  readonly examples: readonly string[];
  /** What is about to happen, as a sentence. The command asks for confirmation, unless it has `--yes`. */
  readonly consequence?: (ctx: Acting, given: Given) => string | Promise<string>;
  readonly run: (ctx: Acting, given: Given, operator: Operator, output: Output) => Promise<Printed>;
}

type AddCommand = (parent: Command, line: CommandLine) => void;

export function commandTable(name: string, about: string, commands: readonly AddCommand[]): CommandGroup {
  return (program, line) => {
    const [summary] = about.split('.\n\n');
    const parent = program
      .command(name)
      .description(about)
      .summary(summary ?? about);
    for (const add of commands) add(parent, line);
  };
}

export function operatorCommand<Given>(spec: OperatorCommand<Given, Ctx>): AddCommand {
  return adding(spec, ({ ctx }) => Promise.resolve(ctx));
}

/** A command that acts as a maintainer. */
export function maintainerCommand<Given>(spec: OperatorCommand<Given, AgentCtx>): AddCommand {
  const options = [
    ...(spec.options ?? []),
    new Option('--as <handle>', 'Maintainer to act as; optional if there is only one'),
  ];
  return adding({ ...spec, options }, ({ ctx }, as) => actAs(ctx, as));
}

/**
 * Chooses the maintainer on whose behalf an operator acts on the database. The rows record the maintainer, as they do over
 * HTTP.
 * @param handle undefined for the only maintainer
 * @throws StartError when there is no maintainer; WrongCommandLine when it is unclear which one is meant
 */
async function actAs(ctx: Ctx, handle: string | undefined): Promise<AgentCtx> {
  const maintainers = await findMaintainers(ctx);
  const [only] = maintainers;
  if (only === undefined) {
    throw new StartError('This hub has no maintainer. Name one with `hub maintainers add <handle>`.', {
      isSetting: true,
    });
  }
  const names = maintainers.map((agent) => agent.handle).join(', ');
  if (handle === undefined && maintainers.length > 1) {
    throw new WrongCommandLine(`There are several maintainers. Name one with --as: ${names}.`);
  }
  const acting = handle === undefined ? only : maintainers.find((agent) => agent.handle === handle);
  if (acting === undefined)
    throw new WrongCommandLine(`\`${handle}\` is not a maintainer. Maintainers: ${names}.`);
  return { ...ctx, agent: acting };
}

function adding<Given, Acting extends Ctx>(
  { name, about, args = [], options = [], help, examples, consequence, run }: OperatorCommand<Given, Acting>,
  actingIn: (operator: Operator, as: string | undefined) => Promise<Acting>,
): AddCommand {
  return (parent, line) => {
    const command = parent.command(name).description(about);
    for (const argument of args) command.addArgument(argument);
    for (const option of options) command.addOption(option);
    if (consequence !== undefined) command.option(...yesOption);
    const words = parent.parent === null ? `hub ${name}` : `hub ${parent.name()} ${name}`;
    const shown = examples.map((example) => `  ${words} ${example}`.trimEnd());
    const heading = shown.length === 1 ? 'Example' : 'Examples';
    command.addHelpText(
      'after',
      `\n${help === undefined ? '' : `${help.trim()}\n\n`}${heading}:\n${shown.join('\n')}`,
    );
    command.action((...values: unknown[]) =>
      withOperator(async (operator) => {
        const named = Object.fromEntries(args.map((argument, at) => [argument.name(), values[at]]));
        // Commander reads them by the parsers of the table.
        const given = { ...named, ...command.opts() } as Given & { as?: string; yes?: boolean };
        const ctx = await actingIn(operator, given.as);
        if (consequence !== undefined) await confirm(await consequence(ctx, given), given.yes === true);
        const output = line.output();
        output.result(...(await run(ctx, given, operator, output)));
      }),
    );
  };
}

interface Listing<Row, Given, Acting extends Ctx> extends Pick<
  OperatorCommand<Given, Acting>,
  'about' | 'options' | 'examples'
> {
  /** `list` by default. */
  readonly name?: string;
  /** The name of the rows in JSON. */
  readonly key: string;
  readonly read: (ctx: Acting, page: PageInput, given: Given) => Promise<Page<Row>>;
  readonly shown: (row: Row) => object;
  /** By their heads. */
  readonly columns: Readonly<Record<string, (row: Row) => Cell>>;
}

/** A command that lists rows, up to `--limit`. */
export function operatorListing<Row, Given>(spec: Listing<Row, Given, Ctx>): AddCommand {
  return operatorCommand(listing(spec));
}

/** The same, acting as a maintainer. */
export function maintainerListing<Row, Given>(spec: Listing<Row, Given, AgentCtx>): AddCommand {
  return maintainerCommand(listing(spec));
}

function listing<Row, Given, Acting extends Ctx>({
  name = 'list',
  options = [],
  key,
  read,
  shown,
  columns,
  ...spec
}: Listing<Row, Given, Acting>): OperatorCommand<Given & { readonly limit: number }, Acting> {
  return {
    ...spec,
    name,
    options: [...options, limitOption()],
    run: async (ctx, given) => {
      const { items, more } = await readPages(given.limit, (page) => read(ctx, page, given));
      const note = more ? ['There are more. Use --limit to show them.'] : [];
      return [{ [key]: items.map(shown), more }, [...tableOf(columns, items), ...note]];
    },
  };
}

const pageMax = 100;

/** Reads a list page by page, up to a limit. */
async function readPages<Item>(limit: number, readPage: (page: PageInput) => Promise<Page<Item>>) {
  const items: Item[] = [];
  let cursor: string | null = null;
  do {
    const page: Page<Item> = await readPage({ limit: Math.min(pageMax, limit - items.length), cursor });
    items.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null && items.length < limit);
  return { items, more: cursor !== null };
}

/** `--status`, whose value `statusIn` reads. @param what the rows */
export function statusOption(what: string, statuses: readonly string[], initial = 'all'): Option {
  return new Option('--status <status>', `Only ${what} with this status, or all`)
    .choices([...statuses, 'all'])
    .default(initial);
}

/** @returns null for all */
export function statusIn<Status extends string>({ status }: WithStatus<Status>): Status | null {
  return status === 'all' ? null : status;
}

export interface WithStatus<Status extends string> {
  readonly status: Exclude<Status, 'all'> | 'all';
}
