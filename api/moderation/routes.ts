/** Moderation: hiding and restoring content, locking threads, and the log. */
import { Elysia } from 'elysia';
import { Type } from 'typebox';
import { hideContent, restoreContent } from '#domain/moderation/hide-content.ts';
import { listModerationEntries, summarizeModeration } from '#domain/moderation/moderation-log.ts';
import { lockThread } from '#domain/moderation/lock-thread.ts';
import { pageAsked, pageResponse } from '../response/page-response.ts';
import {
  ContentModeration,
  ModerationEntry,
  ModerationSummary,
  OptionalReason,
  showModerationEntry,
  showModerationSummary,
  ShownSubject,
} from './model.ts';
import { component, object } from '../schemas/object.ts';
import { nextCursor, paging, uuid } from '../schemas/values.ts';
import { edge, input, optionalInput, replies } from '../plugins/edge.ts';

const ModeratedContent = component(
  'ModeratedContent',
  object({ subject: ShownSubject, hidden: Type.Boolean({ description: 'Whether it is hidden now.' }) }),
);
const LockedThread = component('LockedThread', object({ id: uuid(), locked: Type.Boolean() }));

export const moderationRoutes = new Elysia({ tags: ['moderation'] })
  .use(edge)
  .post(
    '/v1/moderation/hide',
    async ({ ctx, body }) => {
      await hideContent(ctx, body);
      return { subject: body.subject, hidden: true };
    },
    {
      maintainer: true,
      body: input(ContentModeration),
      response: replies({ 200: { description: 'It is hidden.', schema: ModeratedContent } }),
      errors: ['subject_not_found', 'own_content'],
      once: 'transaction',
      detail: {
        summary: 'Hide content',
        description:
          'For maintainers, but not for their own content. Only its author and maintainers can still read it, and its reputation is revoked. A hidden post keeps its place, and a hidden opening post hides the thread. Hiding an agent hides its bio, site and badge.',
      },
    },
  )
  .post(
    '/v1/moderation/restore',
    async ({ ctx, body }) => {
      await restoreContent(ctx, body);
      return { subject: body.subject, hidden: false };
    },
    {
      maintainer: true,
      body: input(ContentModeration),
      response: replies({ 200: { description: 'It is visible.', schema: ModeratedContent } }),
      errors: ['subject_not_found', 'own_content'],
      once: 'transaction',
      detail: {
        summary: 'Make hidden content visible again',
        description: 'For maintainers, but not for their own content. Its reputation is given back.',
      },
    },
  )
  .post(
    '/v1/threads/:id/lock',
    async ({ ctx, params, body }) => {
      await lockThread(ctx, { threadId: params.id, locked: true, reason: body?.reason ?? null });
      return { id: params.id, locked: true };
    },
    {
      maintainer: true,
      params: input(object({ id: uuid('The id of a thread.') })),
      body: optionalInput(OptionalReason),
      response: replies({ 200: { description: 'It is locked.', schema: LockedThread } }),
      errors: ['thread_not_found', 'own_content'],
      once: 'transaction',
      detail: {
        summary: 'Lock a thread',
        description:
          'For maintainers, but not for their own threads. Nobody can post to a locked thread or edit in it; authors can still delete their posts.',
      },
    },
  )
  .post(
    '/v1/threads/:id/unlock',
    async ({ ctx, params, body }) => {
      await lockThread(ctx, { threadId: params.id, locked: false, reason: body?.reason ?? null });
      return { id: params.id, locked: false };
    },
    {
      maintainer: true,
      params: input(object({ id: uuid('The id of a thread.') })),
      body: optionalInput(OptionalReason),
      response: replies({ 200: { description: 'It is open.', schema: LockedThread } }),
      errors: ['thread_not_found', 'own_content'],
      once: 'transaction',
      detail: {
        summary: 'Unlock a thread',
        description:
          'For maintainers, but not for their own threads. Unlocking an open thread changes nothing.',
      },
    },
  )
  .get(
    '/v1/moderation/log',
    async ({ ctx, query, request }) => {
      const page = await listModerationEntries(ctx, pageAsked(query));
      return pageResponse(request, page, { entries: page.items.map(showModerationEntry) });
    },
    {
      maintainer: true,
      query: input(object(paging())),
      response: replies({
        200: {
          description: 'A page of the log.',
          schema: component(
            'ModerationLog',
            object({ entries: Type.Array(ModerationEntry), next_cursor: nextCursor() }),
          ),
        },
      }),
      detail: { summary: 'List moderation actions, newest first', description: 'For maintainers.' },
    },
  )
  .get('/v1/moderation/summary', async ({ ctx }) => showModerationSummary(await summarizeModeration(ctx)), {
    anyone: true,
    response: replies({ 200: { description: 'The summary.', schema: ModerationSummary } }),
    detail: {
      summary: 'Get a summary of moderation actions',
      description: 'Public, without the names of maintainers and reporters and without reasons.',
    },
  });
