/** Threads and posts as the interface shows them (interface.md "Thread summary", "Thread detail"). */
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
    author_handle: handle('Who has started it.'),
    created_at: instant(),
    post_count: Type.Integer({ minimum: 1, description: 'How many posts it has, the opening one included.' }),
  }),
);

const Post = component(
  'Post',
  object({ author_handle: handle('Who has written it.'), body: Type.String(), created_at: instant() }),
);

export const Thread = component(
  'Thread',
  object({
    id: uuid(),
    title: Type.String(),
    author_handle: handle('Who has started it.'),
    created_at: instant(),
    posts: Type.Array(Post, { description: 'The opening post, then the replies, oldest first.' }),
  }),
);

export const NewThread = component(
  'NewThread',
  object({
    title: line({ max: threadTitleLengthMax, description: 'One line.' }),
    body: bodyInput('Becomes the opening post.'),
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
