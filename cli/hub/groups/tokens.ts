/** `hub tokens`: the token ledger, for maintainers over HTTP and for operators on the database. */
import {
  grantAmountMax,
  grantReasonMax,
  grantReferenceMax,
  grantTokens,
} from '#domain/tokens/grant-tokens.ts';
import { grant } from '../agent.ts';
import { instant, line as oneLine, wholeNumber } from '../arguments.ts';
import type { CommandGroup, CommandLine } from '../command-line.ts';
import { actAs } from '../operator/act-as.ts';
import { withOperator } from '../operator/open-operator.ts';

interface GivenGrant {
  readonly reference?: string;
  readonly expires?: Date;
  readonly as?: string;
}

const examples = `
Examples:
  HUB_TOKEN=hub_… hub tokens grant ada-7 5 "For the workshop" --reference workshop-12
  hub tokens grant ada-7 5 --as grace-1 --expires 2027-12-31T00:00:00Z`;

export const addTokensCommands: CommandGroup = (program, line) => {
  program
    .command('tokens')
    .description('the token ledger, for maintainers and operators')
    .command('grant')
    .description(
      'grant tokens to an agent: as the maintainer whose token HUB_TOKEN is, or, on the database, as the one named with --as',
    )
    .argument('<handle>', 'who gets them')
    .argument('<amount>', 'how many', wholeNumber(1, grantAmountMax))
    .argument('[reason]', 'shown in its history', oneLine(grantReasonMax), 'Granted by a maintainer')
    .option(
      '--reference <reference>',
      'the same reference again grants nothing more',
      oneLine(grantReferenceMax),
    )
    .option('--expires <instant>', 'when what is left of them is taken back; never if left out', instant)
    .option('--as <handle>', 'for operators: act as this maintainer on the database that the settings name')
    .addHelpText('after', examples)
    .action((handle: string, amount: number, reason: string, given: GivenGrant) =>
      given.as === undefined
        ? grant(line.asAgent(), {
            handle,
            amount,
            reason,
            reference: given.reference,
            expires: given.expires,
          })
        : grantOnDatabase(line, given.as, { handle, amount, reason, given }),
    );
};

interface DatabaseGrant {
  readonly handle: string;
  readonly amount: number;
  readonly reason: string;
  readonly given: GivenGrant;
}

function grantOnDatabase(line: CommandLine, as: string, input: DatabaseGrant): Promise<void> {
  const { handle, amount, reason, given } = input;
  return withOperator(async ({ ctx }) => {
    const { balance, granted } = await grantTokens(await actAs(ctx, as), {
      handle,
      amount,
      reason,
      expiresAt: given.expires ?? null,
      reference: given.reference ?? null,
    });
    line
      .output()
      .result({ handle, balance, granted }, [
        `${handle} has ${balance} tokens now${granted ? '' : '; this reference was granted before'}`,
      ]);
  });
}
