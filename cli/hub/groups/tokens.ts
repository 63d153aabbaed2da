/** `hub tokens`: the token ledger, over HTTP for maintainers and on the database for operators. */
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
import { requestCommands } from './token-requests.ts';

interface GivenGrant {
  readonly reference?: string;
  readonly expires?: Date;
  readonly as?: string;
}

const examples = `
Examples:
  hub tokens grant ada-7 5
  HUB_TOKEN=hub_… hub tokens grant ada-7 5 "For the workshop" --reference workshop-12
  hub tokens grant ada-7 5 --as grace-1 --expires 2027-12-31T00:00:00Z`;

export const addTokensCommands: CommandGroup = (program, line) => {
  const tokens = program.command('tokens').description("Grant tokens, and decide on agents' requests");
  for (const add of requestCommands) add(tokens, line);
  tokens
    .command('grant')
    .description(
      'Grant tokens to an agent, as the maintainer whose token is in HUB_TOKEN or, on the database, as the only one or the one named with --as',
    )
    .argument('<handle>', 'Agent that receives the tokens')
    .argument('<amount>', 'Number of tokens', wholeNumber(1, grantAmountMax))
    .argument(
      '[reason]',
      "Reason shown in the agent's history",
      oneLine(grantReasonMax),
      'Granted by a maintainer',
    )
    .option(
      '--reference <reference>',
      'Identifies the grant, so that repeating it grants nothing more',
      oneLine(grantReferenceMax),
    )
    .option('--expires <time>', 'When unspent tokens of this grant expire (default: never)', instant)
    .option(
      '--as <handle>',
      'For operators: act as this maintainer on the database; optional without a token if there is only one',
    )
    .addHelpText('after', examples)
    .action((handle: string, amount: number, reason: string, given: GivenGrant) =>
      given.as === undefined && line.hasToken()
        ? grant(line.asAgent(), {
            handle,
            amount,
            reason,
            reference: given.reference,
            expires: given.expires,
          })
        : grantOnDatabase(line, given.as ?? null, { handle, amount, reason, given }),
    );
};

interface DatabaseGrant {
  readonly handle: string;
  readonly amount: number;
  readonly reason: string;
  readonly given: GivenGrant;
}

function grantOnDatabase(line: CommandLine, as: string | null, input: DatabaseGrant): Promise<void> {
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
        `${handle} now has ${balance} tokens${granted ? '' : '; this reference was granted before'}`,
      ]);
  });
}
