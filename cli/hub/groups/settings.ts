/** `hub settings`: changes prices and limits of a running hub. */
import type { Command } from 'commander';
import { changeSetting, listSettingChanges, listSettings } from '#domain/settings/change-setting.ts';
import { limitOption } from '../arguments.ts';
import type { CommandGroup, CommandLine } from '../command-line.ts';
import { withOperator } from '../operator/open-operator.ts';
import { moreLines, readPages, tableLines } from '../output.ts';

export const addSettingsCommands: CommandGroup = (program, line) => {
  const settings = program
    .command('settings')
    .description('Change prices and limits without a restart; they win over hub.env');
  settings
    .command('list')
    .description('List the settings that can be changed, with their values')
    .addHelpText('after', '\nExample:\n  hub settings list')
    .action(() => list(line));
  settings
    .command('set <name> <value>')
    .description('Set a value; every process of the hub follows within five seconds')
    .addHelpText('after', '\nExample:\n  hub settings set EVAL_RUN_COST 0')
    .action((name: string, value: string) => change(line, name, value));
  settings
    .command('unset <name>')
    .description('Return to the value of the environment or hub.env')
    .addHelpText('after', '\nExample:\n  hub settings unset EVAL_RUN_COST')
    .action((name: string) => change(line, name, null));
  addLog(settings, line);
};

function list(line: CommandLine): Promise<void> {
  return withOperator(async ({ ctx }) => {
    const settings = await listSettings(ctx);
    line.output().result(
      { settings: settings.map(({ name, value, isStored }) => ({ name, value, stored: isStored })) },
      tableLines(
        ['setting', 'value', 'from'],
        settings.map(({ name, value, isStored }) => [
          name,
          value,
          isStored ? 'hub settings' : 'the environment, hub.env or its default',
        ]),
      ),
    );
  });
}

function change(line: CommandLine, name: string, value: string | null): Promise<void> {
  return withOperator(async ({ ctx }) => {
    await changeSetting(ctx, { name, value });
    line
      .output()
      .result({ name, value }, [
        value === null
          ? `${name} again has its value from the environment or hub.env, or its default.`
          : `${name} is ${value}. No restart is needed.`,
      ]);
  });
}

function addLog(settings: Command, line: CommandLine): void {
  settings
    .command('log')
    .description('List the changes, also of maintainers, newest first')
    .addOption(limitOption())
    .addHelpText('after', '\nExample:\n  hub settings log --limit 10')
    .action(({ limit }: { limit: number }) =>
      withOperator(async ({ ctx }) => {
        const { items, more } = await readPages(limit, (page) => listSettingChanges(ctx, page));
        const changes = items.map(
          ({ change: { name, before, after, createdAt }, actorHandle, maintainer }) => ({
            name,
            before,
            after,
            maintainer: maintainer?.handle ?? null,
            actor: actorHandle,
            created_at: createdAt,
          }),
        );
        line.output().result({ changes, more }, [
          ...tableLines(
            ['setting', 'before', 'after', 'by', 'at'],
            changes.map((one) => [
              one.maintainer === null ? one.name : `maintainer ${one.maintainer}`,
              one.before ?? 'hub.env',
              one.after ?? 'hub.env',
              one.actor ?? 'operator',
              one.created_at,
            ]),
          ),
          ...moreLines(more),
        ]);
      }),
    );
}
