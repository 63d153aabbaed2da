/** Settings that maintainers change while the hub runs, and the log of the changes. */
import { Elysia } from 'elysia';
import { Type } from 'typebox';
import type { AgentCtx } from '#domain/context.ts';
import { changeSetting, listSettingChanges, listSettings } from '#domain/settings/change-setting.ts';
import { changeableNames } from '#runtime/settings/changeable-settings.ts';
import { pageAsked, pageResponse } from '../response/page-response.ts';
import { component, nullable, object } from '../schemas/object.ts';
import { line } from '../schemas/text.ts';
import { instant, nextCursor, oneOf, paging } from '../schemas/values.ts';
import { edge, input, replies } from '../plugins/edge.ts';

const Setting = component(
  'HubSetting',
  object({
    name: oneOf(changeableNames),
    value: Type.String({ description: 'What the hub uses.' }),
    stored: Type.Boolean({ description: 'Whether it was set while the hub ran, and wins over `hub.env`.' }),
  }),
);

const HubSettings = component('HubSettings', object({ settings: Type.Array(Setting) }));

async function showSettings(ctx: AgentCtx) {
  const listed = await listSettings(ctx);
  return { settings: listed.map(({ name, value, isStored }) => ({ name, value, stored: isStored })) };
}

export const hubSettingRoutes = new Elysia({ tags: ['operation'] })
  .use(edge)
  .get('/v1/admin/settings', ({ ctx }) => showSettings(ctx), {
    maintainer: true,
    response: replies({
      200: {
        description: 'The settings and their values.',
        schema: HubSettings,
      },
    }),
    detail: {
      summary: 'List the settings that can be changed while the hub runs',
      description: 'For maintainers.',
    },
  })
  .post(
    '/v1/admin/settings',
    async ({ ctx, body }) => {
      await changeSetting(ctx, { name: body.name, value: body.value ?? null });
      return showSettings(ctx);
    },
    {
      maintainer: true,
      body: input(
        component(
          'HubSettingChange',
          object({
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
      ),
      response: replies({
        200: { description: 'All settings, with the change.', schema: HubSettings },
      }),
      once: 'transaction',
      detail: {
        summary: 'Change a setting while the hub runs',
        description: 'For maintainers. Every process follows within five seconds, and the change is logged.',
      },
    },
  )
  .get(
    '/v1/admin/setting-changes',
    async ({ ctx, query, request }) => {
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
    {
      maintainer: true,
      query: input(object({ ...paging() })),
      response: replies({
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
                    Type.String({
                      description: 'The maintainer; null for the operator, on the command line.',
                    }),
                  ),
                  created_at: instant(),
                }),
              ),
              next_cursor: nextCursor(),
            }),
          ),
        },
      }),
      detail: { summary: 'List the changes of settings, newest first', description: 'For maintainers.' },
    },
  );
