/** Settings that maintainers change while the hub runs. */
import { Elysia } from 'elysia';
import { Type } from 'typebox';
import { changeSetting, listSettings } from '#domain/settings/change-setting.ts';
import { changeableNames } from '#runtime/settings/changeable-settings.ts';
import { line, named, nullable, oneOf } from '../schemas.ts';
import { edge, input, ok } from '../plugins/edge.ts';

const Setting = named('HubSetting', {
  name: oneOf(changeableNames),
  value: Type.String({ description: 'What the hub uses.' }),
  stored: Type.Boolean({ description: 'Whether it was set while the hub ran, and wins over `hub.env`.' }),
});

const HubSettings = named('HubSettings', { settings: Type.Array(Setting) });

export const hubSettingRoutes = new Elysia({ tags: ['operation'] }).use(edge).post(
  '/v1/admin/settings',
  async ({ ctx, body }) => {
    await changeSetting(ctx, { name: body.name, value: body.value ?? null });
    const settings = await listSettings(ctx);
    return { settings: settings.map(({ name, value, isStored }) => ({ name, value, stored: isStored })) };
  },
  {
    maintainer: true,
    body: input(
      named('HubSettingChange', {
        name: line({ max: 100, description: 'The name of the setting.', example: 'EVAL_RUN_COST' }),
        value: Type.Optional(
          nullable(
            line({
              max: 100,
              description: 'Null: what the environment or `hub.env` says.',
              example: '0',
            }),
          ),
        ),
      }),
    ),
    response: ok('All settings, with the change.', HubSettings),
    once: 'transaction',
    detail: {
      summary: 'Change a setting while the hub runs',
      description: 'Every process follows within five seconds, and the change is logged.',
    },
  },
);
