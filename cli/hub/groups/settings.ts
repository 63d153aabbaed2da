/** `hub settings`: changes prices and badge rules of a running hub. */
import { changeSetting, listSettingChanges, listSettings } from '#domain/settings/change-setting.ts';
import { argument } from '../arguments.ts';
import { commandTable, operatorCommand, operatorListing } from '../operator-command.ts';
import { tableOf } from '../output.ts';

const name = argument('<name>', 'Name of the setting');
const about = 'Change prices and badge rules without a restart; they win over hub.env';

export const addCommands = commandTable('settings', about, [
  operatorCommand({
    name: 'list',
    about: 'List the settings that can be changed, with their values',
    examples: [''],
    run: async (ctx) => {
      const settings = await listSettings(ctx);
      const table = tableOf(
        {
          setting: ({ name }) => name,
          value: ({ value }) => value,
          from: ({ isStored }) => (isStored ? 'hub settings' : 'the environment, hub.env or its default'),
        },
        settings,
      );
      const shown = settings.map(({ isStored, ...setting }) => ({ ...setting, stored: isStored }));
      return [{ settings: shown }, table];
    },
  }),
  operatorCommand({
    name: 'set',
    about: 'Set a value; every process of the hub follows within five seconds',
    args: [name, argument('<value>', 'Its value')],
    examples: ['EVAL_RUN_COST 0'],
    run: async (ctx, given: { name: string; value: string }) => {
      await changeSetting(ctx, given);
      return [given, [`${given.name} is ${given.value}. No restart is needed.`]];
    },
  }),
  operatorCommand({
    name: 'unset',
    about: 'Return to the value of the environment or hub.env',
    args: [name],
    examples: ['EVAL_RUN_COST'],
    run: async (ctx, given: { name: string }) => {
      const change = { name: given.name, value: null };
      await changeSetting(ctx, change);
      return [change, [`${given.name} again has its value from the environment or hub.env, or its default.`]];
    },
  }),
  operatorListing({
    name: 'log',
    about: 'List the changes, also of maintainers, newest first',
    examples: ['--limit 10'],
    key: 'changes',
    read: (ctx, page) => listSettingChanges(ctx, page),
    shown: ({ change, actorHandle, maintainer }) => ({
      name: change.name,
      before: change.before,
      after: change.after,
      maintainer: maintainer?.handle ?? null,
      actor: actorHandle,
      created_at: change.createdAt,
    }),
    columns: {
      setting: ({ change, maintainer }) =>
        maintainer?.handle == null ? change.name : `maintainer ${maintainer.handle}`,
      before: ({ change }) => change.before ?? 'hub.env',
      after: ({ change }) => change.after ?? 'hub.env',
      by: ({ actorHandle }) => actorHandle ?? 'operator',
      at: ({ change }) => change.createdAt,
    },
  }),
]);
