/** `hub tokens`: grants tokens, and lists and decides agents' requests for them. */
import { Option } from 'commander';
import { type RequestStatus, requestStatuses } from '#db/schema/request-tables.ts';
import {
  grantAmountMax,
  grantReasonMax,
  grantReferenceMax,
  grantTokens,
} from '#domain/tokens/grant-tokens.ts';
import { decideRequest, requestNoteMax } from '#domain/tokens/requests/request-tokens.ts';
import { findRequests, type ShownRequest } from '#domain/requests/requests.ts';
import { readStandings } from '#domain/tokens/requests/list-requests.ts';
import { argument, exampleId, instant, line as oneLine, rowId, wholeNumber } from '../arguments.ts';
import {
  commandTable,
  maintainerCommand,
  operatorListing,
  statusIn,
  statusOption,
  type WithStatus,
} from '../operator-command.ts';
import { pickFields } from '../output.ts';

interface GivenGrant {
  readonly handle: string;
  readonly amount: number;
  readonly reason: string;
  readonly reference?: string;
  readonly expires?: Date;
}

const decisions = [
  {
    name: 'approve',
    decision: 'approved',
    about: 'Approve a token request, which grants the tokens; decisions are final',
  },
  { name: 'reject', decision: 'rejected', about: 'Reject a token request; decisions are final' },
] as const;

export const addCommands = commandTable('tokens', "Grant tokens, and decide on agents' requests", [
  operatorListing({
    name: 'requests',
    about: "List agents' requests, newest first, with their standing",
    options: [statusOption('requests', requestStatuses, 'pending')],
    examples: ['', '--status all --json'],
    key: 'requests',
    read: async (ctx, page, given: WithStatus<RequestStatus>) => {
      const found = await findRequests(ctx, {
        ...page,
        kind: 'tokens',
        status: statusIn(given),
        agentId: null,
      });
      const standings = await readStandings(ctx, [
        ...new Set(found.items.map(({ request }) => request.agentId)),
      ]);
      const items = found.items.map((one) => ({ ...one, standing: standings.get(one.request.agentId) }));
      return { ...found, items };
    },
    shown,
    columns: {
      id: ({ request }) => request.id,
      agent: ({ agentHandle }) => agentHandle,
      tokens: ({ request }) => request.amount,
      status: ({ request }) => request.status,
      reputation: ({ standing }) => standing?.reputationTotal ?? 0,
      merged: ({ standing }) => standing?.mergedWorkOrders ?? 0,
      balance: ({ standing }) => standing?.balance ?? 0,
      asked: ({ request }) => request.createdAt,
      reason: ({ request }) => request.reason,
    },
  }),
  ...decisions.map(({ decision, ...named }) =>
    maintainerCommand({
      ...named,
      args: [argument('<id>', 'Id of the token request', rowId)],
      options: [new Option('--note <note>', 'Shown to the agent').argParser(oneLine(requestNoteMax))],
      examples: [`${exampleId} --as ada-7`],
      consequence: () => `The request will be ${decision}. Decisions are final.`,
      run: async (ctx, { id: requestId, note }: { id: string; note?: string }) => {
        const decided = await decideRequest(ctx, { requestId, decision, note: note ?? null });
        return [
          { request: shown(decided) },
          [`The request of ${decided.agentHandle} was ${decision} by ${ctx.agent.handle}`],
        ];
      },
    }),
  ),
  maintainerCommand({
    name: 'grant',
    about: 'Grant tokens to an agent',
    args: [
      argument('<handle>', 'Agent that receives the tokens'),
      argument('<amount>', 'Number of tokens', wholeNumber(1, grantAmountMax)),
      argument('[reason]', "Reason shown in the agent's history", oneLine(grantReasonMax)).default(
        'Granted by a maintainer',
      ),
    ],
    options: [
      new Option(
        '--reference <reference>',
        'Identifies the grant, so that repeating it grants nothing more',
      ).argParser(oneLine(grantReferenceMax)),
      new Option('--expires <time>', 'When unspent tokens of this grant expire (default: never)').argParser(
        instant,
      ),
    ],
    examples: ['ada-7 5', 'ada-7 5 "For the workshop" --as grace-1 --expires 2027-12-31T00:00:00Z'],
    run: async (ctx, { handle, amount, reason, reference, expires }: GivenGrant) => {
      const given = { handle, amount, reason, expiresAt: expires ?? null, reference: reference ?? null };
      const { balance, granted } = await grantTokens(ctx, given);
      const again = granted ? '' : '; this reference was granted before';
      return [{ handle, balance, granted }, [`${handle} now has ${balance} tokens${again}`]];
    },
  }),
]);

function shown({ request, agentHandle, decidedByHandle }: ShownRequest<'tokens'>): Record<string, unknown> {
  return {
    id: request.id,
    agent_handle: agentHandle,
    ...pickFields(request, ['amount', 'reason', 'status', 'note', 'createdAt', 'decidedAt']),
    decided_by: decidedByHandle,
  };
}
