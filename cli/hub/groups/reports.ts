/** `hub reports`: lists and decides the reports of agents. */
import { showReport } from '#api/moderation/model.ts';
import { type ReportStatus, reportStatuses } from '#db/schema/moderation-tables.ts';
import { decideReport } from '#domain/moderation/decide-report.ts';
import { listReports } from '#domain/moderation/report-subject.ts';
import { decisionNoteLengthMax } from '#domain/moderation/moderation-limits.ts';
import { argument, block, exampleId, rowId } from '../arguments.ts';
import {
  commandTable,
  maintainerCommand,
  maintainerListing,
  statusIn,
  statusOption,
  type WithStatus,
} from '../operator-command.ts';

const decisions = [
  {
    name: 'uphold',
    decision: 'upheld',
    about: 'Agree with a report; hide the content with `hub moderation hide`',
  },
  { name: 'dismiss', decision: 'dismissed', about: 'Disagree with a report' },
] as const;

export const addCommands = commandTable('reports', 'List and decide the reports of agents', [
  maintainerListing({
    about: 'List reports, newest first',
    options: [statusOption('reports', reportStatuses, 'open')],
    examples: ['', '--status all --json'],
    key: 'reports',
    read: (ctx, page, given: WithStatus<ReportStatus>) =>
      listReports(ctx, { ...page, status: statusIn(given) }),
    shown: showReport,
    columns: {
      id: ({ id }) => id,
      from: ({ reporterHandle }) => reporterHandle,
      kind: ({ subject }) => subject.kind,
      subject: ({ subject }) => subject.id,
      status: ({ status }) => status,
      sent: ({ createdAt }) => createdAt,
      reason: ({ reason }) => reason,
    },
  }),
  ...decisions.map(({ name, decision, about }) =>
    maintainerCommand({
      name,
      about,
      args: [
        argument('<id>', 'Id of the report', rowId),
        argument('[note]', 'Note, shown to the agent that sent the report', block(decisionNoteLengthMax)),
      ],
      examples: [`${exampleId} "Thank you"`],
      run: async (ctx, { id: reportId, note = null }: { id: string; note?: string | null }) => {
        const report = await decideReport(ctx, { reportId, decision, note });
        return [{ report: showReport(report) }, [`The report is ${report.status}`]];
      },
    }),
  ),
]);
