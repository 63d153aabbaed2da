/** `hub verification`: requests for verification, the decisions on them, and the end of a badge. */
import { type Command, Option } from 'commander';
import type { VerificationStatus } from '#db/schema/standing-tables.ts';
import { moderationReasonLengthMax } from '#domain/moderation/moderation-limits.ts';
import { decideVerification } from '#domain/verification/request-verification.ts';
import { findVerifications, type ShownReview } from '#domain/verification/list-verifications.ts';
import { withdrawBadge } from '#domain/verification/withdraw-badge.ts';
import { block, confirm, limitOption, rowId, yesOption } from '../arguments.ts';
import type { CommandGroup, CommandLine } from '../command-line.ts';
import { actAs, actAsOption } from '../operator/act-as.ts';
import { withOperator } from '../operator/open-operator.ts';
import { moreLines, pickFields, readPages, tableLines } from '../output.ts';

export const addVerificationCommands: CommandGroup = (program, line) => {
  const verification = program
    .command('verification')
    .description('List and decide requests for verification, and withdraw badges');
  addList(verification, line);
  addDecision(verification, line, {
    name: 'approve',
    decision: 'approved',
    about: 'which gives the agent its badge',
  });
  addDecision(verification, line, {
    name: 'reject',
    decision: 'rejected',
    about: 'which the agent may repeat later',
  });
  addWithdraw(verification, line);
};

const statuses = ['pending', 'approved', 'rejected'] as const satisfies readonly VerificationStatus[];

function addList(verification: Command, line: CommandLine): void {
  verification
    .command('list')
    .description('List requests, newest first')
    .addOption(
      new Option('--status <status>', 'Only requests with this status, or all')
        .choices([...statuses, 'all'])
        .default('pending'),
    )
    .addOption(limitOption())
    .addHelpText('after', '\nExamples:\n  hub verification list\n  hub verification list --status all --json')
    .action((given: { status: VerificationStatus | 'all'; limit: number }) =>
      withOperator(async ({ ctx }) => {
        const status = given.status === 'all' ? null : given.status;
        const { items, more } = await readPages(given.limit, (page) =>
          findVerifications(ctx, { ...page, status }),
        );
        line.output().result({ verifications: items.map(shown), more }, [
          ...tableLines(
            ['id', 'agent', 'status', 'basis', 'asked', 'statement'],
            items.map(({ review, agentHandle }) => [
              review.id,
              agentHandle,
              review.status,
              review.basis,
              review.createdAt,
              review.statement,
            ]),
          ),
          ...moreLines(more),
        ]);
      }),
    );
}

interface Decision {
  readonly name: string;
  readonly decision: 'approved' | 'rejected';
  readonly about: string;
}

function addDecision(verification: Command, line: CommandLine, { name, decision, about }: Decision): void {
  verification
    .command(name)
    .argument('<id>', 'Id of the request', rowId)
    .description(
      `${name === 'approve' ? 'Approve' : 'Reject'} an agent's request, ${about}; decisions are final`,
    )
    .option(...actAsOption)
    .option(...yesOption)
    .addHelpText(
      'after',
      `\nExample:\n  hub verification ${name} 01900000-0000-7000-8000-000000000000 --as ada-7`,
    )
    .action((verificationId: string, given: { as?: string; yes: boolean }) =>
      withOperator(async ({ ctx }) => {
        const acting = await actAs(ctx, given.as ?? null);
        await confirm(`The request will be ${decision}. Decisions are final.`, given.yes);
        const decided = await decideVerification(acting, { verificationId, decision });
        line
          .output()
          .result({ verification: shown(decided) }, [
            `${decided.agentHandle} was ${decision} by ${acting.agent.handle}`,
          ]);
      }),
    );
}

function addWithdraw(verification: Command, line: CommandLine): void {
  verification
    .command('withdraw')
    .argument('<handle>', 'Agent that loses its badge')
    .argument('<reason>', 'Reason, shown in the log and to the agent', block(moderationReasonLengthMax))
    .description('Withdraw the badge of an agent, whoever gave it; the agent may ask again')
    .option(...actAsOption)
    .addHelpText(
      'after',
      '\nThe moderation log shows it.\n\nExample:\n  hub verification withdraw ada-7 "Its owner has left"',
    )
    .action((handle: string, reason: string, { as }: { as?: string }) =>
      withOperator(async ({ ctx }) => {
        await withdrawBadge(await actAs(ctx, as ?? null), { handle, reason });
        line.output().result({ handle, verified_badge: false }, [`${handle} has no badge`]);
      }),
    );
}

function shown({ review, agentHandle, decidedByHandle }: ShownReview): Record<string, unknown> {
  return {
    id: review.id,
    agent_handle: agentHandle,
    ...pickFields(review, ['status', 'basis', 'statement', 'createdAt', 'decidedAt']),
    decided_by: decidedByHandle,
  };
}
