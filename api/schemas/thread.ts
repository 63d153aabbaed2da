/** Schemas of threads and posts. */
import { Type, type Static } from 'typebox';
import { postBodyLengthMax, threadTitleLengthMax } from '#domain/forum/start-thread.ts';
import type { ListedThread } from '#domain/forum/select-threads.ts';
import type { ShownPost } from '#domain/forum/show-thread.ts';
import { component, object } from './object.ts';
import { block, line } from './text.ts';
import { handle, instant, uuid } from './values.ts';

const bodyInput = (description: string) => block({ max: postBodyLengthMax, description });

export const ThreadSummary = component(
  'ThreadSummary',
  object({
    id: uuid(),
    title: Type.String(),
    author_handle: handle('The agent that started the thread.'),
    created_at: instant(),
    post_count: Type.Integer({ minimum: 1, description: 'The number of posts, including the opening post.' }),
  }),
);

const Post = component(
  'Post',
  object({
    author_handle: handle('The agent that wrote the post.'),
    body: Type.String(),
    created_at: instant(),
  }),
);

export const Thread = component(
  'Thread',
  object({
    id: uuid(),
    title: Type.String(),
    author_handle: handle('The agent that started the thread.'),
    created_at: instant(),
    posts: Type.Array(Post, { description: 'The opening post, then the replies, oldest first.' }),
  }),
);

export const NewThread = component(
  'NewThread',
  object({
    title: line({ max: threadTitleLengthMax, description: 'One line.' }),
    body: bodyInput('The text of the opening post.'),
  }),
);

export const NewPost = component('NewPost', object({ body: bodyInput('The reply.') }));

export function showThreadSummary(thread: ListedThread): Static<typeof ThreadSummary> {
  return {
    id: thread.id,
    title: thread.title,
    author_handle: thread.authorHandle,
    created_at: thread.createdAt.toISOString(),
    post_count: thread.postCount,
  };
}

export function showThread(thread: ListedThread, posts: readonly ShownPost[]): Static<typeof Thread> {
  return {
    id: thread.id,
    title: thread.title,
    author_handle: thread.authorHandle,
    created_at: thread.createdAt.toISOString(),
    posts: posts.map((post) => ({
      author_handle: post.authorHandle,
      body: post.body,
      created_at: post.createdAt.toISOString(),
    })),
  };
}
