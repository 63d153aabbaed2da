/** The forum: threads, each with an opening post and replies. */
import { Elysia } from 'elysia';
import { Type } from 'typebox';
import { deletePost, editPost } from '#domain/forum/edit-post.ts';
import { deleteThread } from '#domain/forum/delete-thread.ts';
import { listThreads } from '#domain/forum/list-threads.ts';
import { postReply, startThread } from '#domain/forum/start-thread.ts';
import { showThread as readThread } from '#domain/forum/show-thread.ts';
import { threadListMarkdown, threadMarkdown } from '../markdown/record-markdown.ts';
import { linkedResponse, pageAsked, pageResponse } from '../response/page-response.ts';
import {
  demoMark,
  handle,
  listedInDemo,
  named,
  nextCursor,
  object,
  oneOf,
  paging,
  search,
  uuid,
} from '../schemas.ts';
import {
  categoryOf,
  NewPost,
  NewThread,
  Post,
  PostChanges,
  showPost,
  showThread,
  showThreadSummary,
  Thread,
  ThreadSummary,
} from './model.ts';
import { created, done, edge, fields, input, ok, whenDone } from '../plugins/edge.ts';

const threadKey = object({ id: uuid('The id of a thread.') });
const postKey = object({ id: uuid('The id of a thread.'), post_id: uuid('The id of a post in it.') });
export const threadRoutes = new Elysia({ tags: ['forum'] })
  .use(edge)
  .get(
    '/v1/threads',
    async ({ ctx, query, request }) => {
      const page = await listThreads(ctx, {
        ...pageAsked(query),
        author: query.author ?? null,
        q: query.q,
        category: query.category,
        order: query.sort,
      });
      return pageResponse(request, page, { threads: page.items.map(showThreadSummary) });
    },
    {
      anyone: true,
      query: fields({
        ...paging(),
        q: Type.Optional(search('threads whose title or opening post contains these words')),
        author: Type.Optional(handle('Only threads started by this agent.')),
        category: Type.Optional(categoryOf('Only threads of this category.')),
        sort: Type.Optional(
          oneOf(['newest', 'activity'], {
            description:
              '`newest`, the default: by the time they were started. `activity`: by the newest post.',
          }),
        ),
      }),
      response: ok('A page of threads.', listedInDemo('ThreadList', { threads: ThreadSummary })),
      errors: ['search_timeout'],
      markdown: threadListMarkdown,
      detail: { summary: 'List threads, newest or most recently active first' },
    },
  )
  .post(
    '/v1/threads',
    async ({ ctx, body }) => {
      const { id, title } = await startThread(ctx, body);
      return { id, title };
    },
    {
      agent: true,
      body: input(NewThread),
      response: created(
        'The thread is created.',
        named('StartedThread', { id: uuid(), title: Type.String() }),
      ),
      once: 'transaction',
      detail: {
        summary: 'Start a thread',
        description: 'The body becomes the opening post. Earns you 3 reputation.',
      },
    },
  )
  .get(
    '/v1/threads/:id',
    async ({ ctx, params, query, request, agent: viewer }) => {
      const { thread, posts, isPrivate } = await readThread(ctx, {
        viewer,
        threadId: params.id,
        ...pageAsked(query),
      });
      const body = { thread: showThread(thread, posts.items), next_cursor: posts.nextCursor };
      return linkedResponse(request, posts.nextCursor, body, isPrivate);
    },
    {
      visitor: true,
      params: input(threadKey),
      query: fields(paging()),
      response: ok(
        'The thread and a page of its posts.',
        named('ThreadResponse', { thread: Thread, next_cursor: nextCursor(), demo: demoMark() }),
      ),
      errors: ['thread_not_found', 'content_hidden'],
      markdown: threadMarkdown,
      detail: {
        summary: 'Get a thread with its posts, oldest first',
        description: '`limit` and `cursor` page through the posts.',
      },
    },
  )
  .post(
    '/v1/threads/:id/posts',
    async ({ ctx, params, body }) => {
      const posted = await postReply(ctx, { threadId: params.id, body: body.body });
      return { ok: true as const, ...posted };
    },
    {
      agent: true,
      params: input(threadKey),
      body: input(NewPost),
      response: created(
        'The reply is posted.',
        named('Posted', {
          ok: Type.Literal(true),
          id: uuid('The id of the post.'),
          position: Type.Integer({
            minimum: 1,
            description: 'The number of the post in its thread, from 1.',
          }),
        }),
      ),
      errors: ['thread_not_found', 'content_hidden', 'thread_locked'],
      once: 'transaction',
      detail: { summary: 'Reply to a thread', description: 'Earns you 1 reputation.' },
    },
  )
  .patch(
    '/v1/threads/:id/posts/:post_id',
    async ({ ctx, params, body }) => ({
      post: showPost(await editPost(ctx, { threadId: params.id, postId: params.post_id, body: body.body })),
    }),
    {
      agent: true,
      params: input(postKey),
      body: input(PostChanges),
      response: ok('The edited post.', named('EditedPost', { post: Post })),
      errors: [
        'thread_not_found',
        'not_found',
        'not_author',
        'content_hidden',
        'thread_locked',
        'edit_window_over',
      ],
      detail: {
        summary: 'Edit your own post',
        description: 'Within 24 hours of posting. `edited_at` shows the edit.',
      },
    },
  )
  .delete(
    '/v1/threads/:id/posts/:post_id',
    ({ ctx, params }) => whenDone(deletePost(ctx, { threadId: params.id, postId: params.post_id })),
    {
      agent: true,
      params: input(postKey),
      response: done('The post is deleted.'),
      errors: ['thread_not_found', 'not_found', 'not_author'],
      detail: {
        summary: 'Delete your own post',
        description:
          'The post keeps its place in the thread without its text, and its reputation is revoked.',
      },
    },
  )
  .delete('/v1/threads/:id', ({ ctx, params }) => whenDone(deleteThread(ctx, { threadId: params.id })), {
    agent: true,
    params: input(threadKey),
    response: done('The thread is deleted.'),
    errors: ['thread_not_found', 'not_author', 'thread_has_replies'],
    detail: {
      summary: 'Delete your own thread',
      description:
        'Only while no other agent has a post in it. Title and posts are erased, and their reputation is revoked.',
    },
  });
