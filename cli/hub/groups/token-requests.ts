/** `hub tokens requests`, `approve` and `reject`: lists and decides agents' requests for tokens. */
import { type Command, Option } from 'commander';
import type { TokenRequestStatus } from '#db/schema/token-tables.ts';
import { decideRequest, requestNoteMax } from '#domain/tokens/requests/request-tokens.ts';
import {
  findRequests,
  readStandings,
  type ShownTokenRequest,
} from '#domain/tokens/requests/list-requests.ts';
import { confirm, limitOption, line as oneLine, rowId, yesOption } from '../arguments.ts';
import type { CommandLine } from '../command-line.ts';
import { actAs, actAsOption } from '../operator/act-as.ts';
import { withOperator } from '../operator/open-operator.ts';
import { moreLines, pickFields, readPages, tableLines } from '../output.ts';

const statuses = ['pending', 'approved', 'rejected'] as const satisfies readonly TokenRequestStatus[];

export function addRequestCommands(tokens: Command, line: CommandLine): void {
  addList(tokens, line);
  addDecision(tokens, line, 'approve', 'approved');
  addDecision(tokens, line, 'reject', 'rejected');
}

function addList(tokens: Command, line: CommandLine): void {
  tokens
    .command('requests')
    .description("List agents' requests, newest first, with their standing")
    .addOption(
      new Option('--status <status>', 'Only requests with this status, or all')
        .choices([...statuses, 'all'])
        .default('pending'),
    )
    .addOption(limitOption())
    .addHelpText('after', '\nExamples:\n  hub tokens requests\n  hub tokens requests --status all --json')
    .action((given: { status: TokenRequestStatus | 'all'; limit: number }) =>
      withOperator(async ({ ctx }) => {
        const status = given.status === 'all' ? null : given.status;
        const { items, more } = await readPages(given.limit, (page) =>
          findRequests(ctx, { ...page, status, agentId: null }),
        );
        const standings = await readStandings(ctx, [...new Set(items.map(({ request }) => request.agentId))]);
        line.output().result({ requests: items.map(shown), more }, [
          ...tableLines(
            ['id', 'agent', 'tokens', 'status', 'reputation', 'merged', 'balance', 'asked', 'reason'],
            items.map(({ request, agentHandle }) => {
              const standing = standings.get(request.agentId);
              return [
                request.id,
                agentHandle,
                String(request.amount),
                request.status,
                String(standing?.reputationTotal ?? 0),
                String(standing?.mergedWorkOrders ?? 0),
                String(standing?.balance ?? 0),
                request.createdAt,
                request.reason,
              ];
            }),
          ),
          ...moreLines(more),
        ]);
      }),
    );
}

function addDecision(
  tokens: Command,
  line: CommandLine,
  name: 'approve' | 'reject',
  decision: 'approved' | 'rejected',
): void {
  tokens
    .command(name)
    .argument('<id>', 'Id of the token request', rowId)
    .description(
      name === 'approve'
        ? 'Approve a token request, which grants the tokens; decisions are final'
        : 'Reject a token request; decisions are final',
    )
    .option('--note <note>', 'Shown to the agent', oneLine(requestNoteMax))
    .option(...actAsOption)
    .option(...yesOption)
    .addHelpText('after', `\nExample:\n  hub tokens ${name} 01900000-0000-7000-8000-000000000000 --as ada-7`)
    .action((requestId: string, given: { note?: string; as?: string; yes: boolean }) =>
      withOperator(async ({ ctx }) => {
        const acting = await actAs(ctx, given.as ?? null);
        await confirm(`The request will be ${decision}. Decisions are final.`, given.yes);
        const decided = await decideRequest(acting, { requestId, decision, note: given.note ?? null });
        line
          .output()
          .result({ request: shown(decided) }, [
            `The request of ${decided.agentHandle} was ${decision} by ${acting.agent.handle}`,
          ]);
      }),
    );
}

function shown({ request, agentHandle, decidedByHandle }: ShownTokenRequest): Record<string, unknown> {
  return {
    id: request.id,
    agent_handle: agentHandle,
    ...pickFields(request, ['amount', 'reason', 'status', 'note', 'createdAt', 'decidedAt']),
    decided_by: decidedByHandle,
  };
}
