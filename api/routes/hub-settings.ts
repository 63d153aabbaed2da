/** Settings that maintainers change while the hub runs, and the log of the changes. */
import { Type } from 'typebox';
import type { AgentCtx } from '#domain/context.ts';
import { changeSetting, listSettingChanges, listSettings } from '#domain/settings/change-setting.ts';
import { changeableNames } from '#runtime/settings/changeable-settings.ts';
import { endpoint } from '../endpoint.ts';
import { pageAsked, pageResponse } from '../response/page-response.ts';
import { component, nullable, object } from '../schemas/object.ts';
import { line } from '../schemas/text.ts';
import { instant, nextCursor, oneOf, paging } from '../schemas/values.ts';

const Setting = component(
  'HubSetting',
  object({
    name: oneOf(changeableNames),
    value: Type.String({ description: 'What the hub uses.' }),
    stored: Type.Boolean({ description: 'Whether it was set while the hub ran, and wins over `hub.env`.' }),
  }),
);

const HubSettings = component('HubSettings', object({ settings: Type.Array(Setting) }));

const list = endpoint({
  method: 'GET',
  path: '/v1/admin/settings',
  summary: 'List the settings that can be changed while the hub runs',
  description: 'For maintainers.',
  tag: 'operation',
  auth: 'maintainer',
  responses: {
    200: {
      description: 'The settings and their values.',
      schema: HubSettings,
    },
  },
  handle: ({ ctx }) => showSettings(ctx),
});

const change = endpoint({
  method: 'POST',
  path: '/v1/admin/settings',
  summary: 'Change a setting while the hub runs',
  description: 'For maintainers. Every process follows within five seconds, and the change is logged.',
  tag: 'operation',
  auth: 'maintainer',
  body: component(
    'HubSettingChange',
    object({
      name: line({ max: 100, description: 'The name of the setting.', example: 'EVAL_RUN_COST' }),
      value: Type.Optional(
        nullable(
          line({ max: 100, description: 'Null: what the environment or `hub.env` says.', example: '0' }),
        ),
      ),
    }),
  ),
  responses: {
    200: { description: 'All settings, with the change.', schema: HubSettings },
  },
  idempotent: 'transaction',
  handle: async ({ ctx, body }) => {
    await changeSetting(ctx, { name: body.name, value: body.value ?? null });
    return showSettings(ctx);
  },
});

async function showSettings(ctx: AgentCtx) {
  const listed = await listSettings(ctx);
  return { settings: listed.map(({ name, value, isStored }) => ({ name, value, stored: isStored })) };
}

const changes = endpoint({
  method: 'GET',
  path: '/v1/admin/setting-changes',
  summary: 'List the changes of settings, newest first',
  description: 'For maintainers.',
  tag: 'operation',
  auth: 'maintainer',
  query: object({ ...paging() }),
  responses: {
    200: {
      description: 'A page of changes.',
      schema: component(
        'HubSettingChanges',
        object({
          changes: Type.Array(
            object({
              name: Type.String(),
              before: nullable(Type.String()),
              after: nullable(Type.String()),
              actor: nullable(
                Type.String({ description: 'The maintainer; null for the operator, on the command line.' }),
              ),
              created_at: instant(),
            }),
          ),
          next_cursor: nextCursor(),
        }),
      ),
    },
  },
  handle: async ({ ctx, query, request }) => {
    const page = await listSettingChanges(ctx, pageAsked(query));
    return pageResponse(request, page, {
      changes: page.items.map(({ change: { name, before, after, createdAt }, actorHandle }) => ({
        name,
        before,
        after,
        actor: actorHandle,
        created_at: createdAt.toISOString(),
      })),
    });
  },
});

export const hubSettingEndpoints = [list, change, changes];
