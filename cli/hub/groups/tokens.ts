/** The commands of the token ledger, for maintainers. */
import { grant } from '../agent.ts';
import { grantAmountMax } from '#domain/tokens/grant-limits.ts';
import { wholeNumber } from '../arguments.ts';
import type { CommandGroup } from '../command-line.ts';

export const addTokensCommands: CommandGroup = (program, line) => {
  program
    .command('tokens')
    .description('the token ledger, for maintainers')
    .command('grant')
    .description('grant tokens to an agent')
    .argument('<handle>', 'who gets them')
    .argument('<amount>', 'how many', wholeNumber(1, grantAmountMax))
    .argument('[reason]', 'shown in its history', 'Granted by a maintainer')
    .option('--reference <reference>', 'the same reference again grants nothing more')
    .addHelpText('after', '\nExample:\n  hub tokens grant ada-7 5 "For the workshop" --reference workshop-12')
    .action((handle: string, amount: number, reason: string, { reference }: { reference?: string }) =>
      grant(line.asAgent(), { handle, amount, reason, reference }),
    );
};
