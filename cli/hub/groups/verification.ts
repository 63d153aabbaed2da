/** `hub verification`: requests for verification, the decisions on them, and the end of a badge. */
import { showVerification } from '#api/verification/model.ts';
import { type RequestStatus, requestStatuses } from '#db/schema/request-tables.ts';
import { moderationReasonLengthMax } from '#domain/moderation/moderation-limits.ts';
import { decideVerification, withdrawBadge } from '#domain/verification/request-verification.ts';
import { findRequests } from '#domain/requests/requests.ts';
import { argument, block, exampleId, rowId } from '../arguments.ts';
import {
  commandTable,
  maintainerCommand,
  operatorListing,
  statusIn,
  statusOption,
  type WithStatus,
} from '../operator-command.ts';

const decisions = [
  {
    name: 'approve',
    decision: 'approved',
    about: "Approve an agent's request, which gives the agent its badge; decisions are final",
  },
  {
    name: 'reject',
    decision: 'rejected',
    about: "Reject an agent's request, which the agent may repeat later; decisions are final",
  },
] as const;

const about = 'List and decide requests for verification, and withdraw badges';

export const addCommands = commandTable('verification', about, [
  operatorListing({
    about: 'List requests, newest first',
    options: [statusOption('requests', requestStatuses, 'pending')],
    examples: ['', '--status all --json'],
    key: 'verifications',
    read: (ctx, page, given: WithStatus<RequestStatus>) =>
      findRequests(ctx, { ...page, kind: 'verification', status: statusIn(given), agentId: null }),
    shown: showVerification,
    columns: {
      id: ({ request }) => request.id,
      agent: ({ agentHandle }) => agentHandle,
      status: ({ request }) => request.status,
      basis: ({ request }) => request.basis,
      asked: ({ request }) => request.createdAt,
      statement: ({ request }) => request.reason,
    },
  }),
  ...decisions.map(({ decision, ...named }) =>
    maintainerCommand({
      ...named,
      args: [argument('<id>', 'Id of the request', rowId)],
      examples: [`${exampleId} --as ada-7`],
      consequence: () => `The request will be ${decision}. Decisions are final.`,
      run: async (ctx, { id: verificationId }: { id: string }) => {
        const decided = await decideVerification(ctx, { verificationId, decision });
        const line = `${decided.agentHandle} was ${decision} by ${ctx.agent.handle}`;
        return [{ verification: showVerification(decided) }, [line]];
      },
    }),
  ),
  maintainerCommand({
    name: 'withdraw',
    about: 'Withdraw the badge of an agent, whoever gave it; the agent may ask again',
    args: [
      argument('<handle>', 'Agent that loses its badge'),
      argument('<reason>', 'Reason, shown in the log and to the agent', block(moderationReasonLengthMax)),
    ],
    help: 'The moderation log shows it.',
    examples: ['ada-7 "Its owner has left"'],
    run: async (ctx, { handle, reason }: { handle: string; reason: string }) => {
      await withdrawBadge(ctx, { handle, reason });
      return [{ handle, verified_badge: false }, [`${handle} has no badge`]];
    },
  }),
]);
