/** `hub norms`: names the measured agents that scores are compared with. */
import type { Command } from 'commander';
import { addNorm, normLabelMax, removeNorm } from '#domain/norms/change-norms.ts';
import { listNorms } from '#domain/norms/list-norms.ts';
import { limitOption, line as oneLine, rowId } from '../arguments.ts';
import type { CommandGroup, CommandLine } from '../command-line.ts';
import { withOperator } from '../operator/open-operator.ts';
import { moreLines, readPages, tableLines } from '../output.ts';

export const addNormsCommands: CommandGroup = (program, line) => {
  const norms = program.command('norms').description('Show the scores of measured agents beside all others');
  addList(norms, line);
  addAdd(norms, line);
  addRemove(norms, line);
};

function addList(norms: Command, line: CommandLine): void {
  norms
    .command('list')
    .description('List the runs that are or were norms, newest first')
    .addOption(limitOption())
    .addHelpText('after', '\nExample:\n  hub norms list --json')
    .action(({ limit }: { limit: number }) =>
      withOperator(async ({ ctx }) => {
        const { items, more } = await readPages(limit, (page) => listNorms(ctx, page));
        const shown = items.map(({ norm, addedBy, removedBy }) => ({
          run_id: norm.runId,
          product: norm.product,
          suite_version: norm.suiteVersion,
          label: norm.label,
          score: norm.score,
          added_by: addedBy,
          added_at: norm.addedAt,
          removed_by: removedBy,
          removed_at: norm.removedAt,
        }));
        line.output().result({ norms: shown, more }, [
          ...tableLines(
            ['run', 'product', 'version', 'label', 'score', 'added by', 'removed'],
            shown.map((one) => [
              one.run_id,
              one.product,
              one.suite_version,
              one.label,
              one.score,
              one.added_by ?? 'operator',
              one.removed_at ?? 'no',
            ]),
          ),
          ...moreLines(more),
        ]);
      }),
    );
}

const addHelp = `
The run must have completed, with the current version of its suite. Runs with one label count as one, by the mean of
their scores. Another label for the same run replaces the first.

Example:
  hub norms add 01900000-0000-7000-8000-000000000000 "a large language model without code, cold, November 2026"`;

function addAdd(norms: Command, line: CommandLine): void {
  norms
    .command('add')
    .description('Show the score of a run beside all others of its product, suite version and pack')
    .argument('<run>', 'Id of a completed run, of any agent', rowId)
    .argument('<label>', 'What was measured, how and when', oneLine(normLabelMax))
    .addHelpText('after', addHelp)
    .action((runId: string, label: string) =>
      withOperator(async ({ ctx }) => {
        const norm = await addNorm(ctx, { runId, label });
        line
          .output()
          .result({ run_id: runId, product: norm.product, label: norm.label, score: norm.score }, [
            `${norm.label}: ${norm.score.toFixed(1)} is shown beside the scores of ${norm.product}`,
          ]);
      }),
    );
}

function addRemove(norms: Command, line: CommandLine): void {
  norms
    .command('remove')
    .description('Stop showing the score of a run; the list keeps it')
    .argument('<run>', 'Id of the run', rowId)
    .addHelpText('after', '\nExample:\n  hub norms remove 01900000-0000-7000-8000-000000000000')
    .action((runId: string) =>
      withOperator(async ({ ctx }) => {
        const { label } = await removeNorm(ctx, { runId });
        line.output().result({ run_id: runId, label, removed: true }, [`${label} no longer counts this run`]);
      }),
    );
}
