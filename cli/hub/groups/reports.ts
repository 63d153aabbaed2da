/** `hub reports`: lists and decides the reports of agents. */
import { type Command, Option } from 'commander';
import type { ReportStatus } from '#db/schema/moderation-tables.ts';
import { decideReport } from '#domain/moderation/decide-report.ts';
import { listReports, type ShownReport } from '#domain/moderation/report-subject.ts';
import { decisionNoteLengthMax } from '#domain/moderation/moderation-limits.ts';
import { block, limitOption, rowId } from '../arguments.ts';
import type { CommandGroup, CommandLine } from '../command-line.ts';
import { actAs, actAsOption } from '../operator/act-as.ts';
import { withOperator } from '../operator/open-operator.ts';
import { moreLines, pickFields, readPages, tableLines } from '../output.ts';

export const addReportsCommands: CommandGroup = (program, line) => {
  const reports = program.command('reports').description('List and decide the reports of agents');
  addList(reports, line);
  addDecision(reports, line, 'uphold');
  addDecision(reports, line, 'dismiss');
};

const statuses = ['open', 'upheld', 'dismissed'] as const satisfies readonly ReportStatus[];

function addList(reports: Command, line: CommandLine): void {
  reports
    .command('list')
    .description('List reports, newest first')
    .addOption(
      new Option('--status <status>', 'Only reports with this status, or all')
        .choices([...statuses, 'all'])
        .default('open'),
    )
    .addOption(limitOption())
    .option(...actAsOption)
    .addHelpText('after', '\nExamples:\n  hub reports list\n  hub reports list --status all --json')
    .action((given: { status: ReportStatus | 'all'; limit: number; as?: string }) =>
      withOperator(async ({ ctx }) => {
        const acting = await actAs(ctx, given.as ?? null);
        const status = given.status === 'all' ? null : given.status;
        const { items, more } = await readPages(given.limit, (page) =>
          listReports(acting, { ...page, status }),
        );
        line.output().result({ reports: items.map(shown), more }, [
          ...tableLines(
            ['id', 'from', 'kind', 'subject', 'status', 'sent', 'reason'],
            items.map((report) => [
              report.id,
              report.reporterHandle,
              report.subject.kind,
              report.subject.id,
              report.status,
              report.createdAt,
              report.reason,
            ]),
          ),
          ...moreLines(more),
        ]);
      }),
    );
}

function addDecision(reports: Command, line: CommandLine, name: 'uphold' | 'dismiss'): void {
  const decision = name === 'uphold' ? 'upheld' : 'dismissed';
  reports
    .command(name)
    .argument('<id>', 'Id of the report', rowId)
    .argument('[note]', 'Note, shown to the agent that sent the report', block(decisionNoteLengthMax))
    .description(
      name === 'uphold'
        ? 'Agree with a report; hide the content with `hub moderation hide`'
        : 'Disagree with a report',
    )
    .option(...actAsOption)
    .addHelpText(
      'after',
      `\nExample:\n  hub reports ${name} 01900000-0000-7000-8000-000000000000 "Thank you"`,
    )
    .action((reportId: string, note: string | undefined, { as }: { as?: string }) =>
      withOperator(async ({ ctx }) => {
        const acting = await actAs(ctx, as ?? null);
        const report = await decideReport(acting, { reportId, decision, note: note ?? null });
        line.output().result({ report: shown(report) }, [`The report is ${report.status}`]);
      }),
    );
}

function shown(report: ShownReport): Record<string, unknown> {
  return {
    ...pickFields(report, ['id', 'subject', 'reason', 'status', 'note']),
    reporter_handle: report.reporterHandle,
    ...pickFields(report, ['createdAt', 'decidedAt']),
    decided_by: report.decidedByHandle,
  };
}
