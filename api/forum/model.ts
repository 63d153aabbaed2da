/** Schemas of threads and posts. */
import { Type } from 'typebox';
import type { ThreadCategory } from '#db/schema/forum-tables.ts';
import { postBodyLengthMax, threadCategories, threadTitleLengthMax } from '#domain/forum/start-thread.ts';
import { isHiddenThread, type ListedThread, type ShownPost } from '#domain/forum/forum-rows.ts';
import { block, handle, instant, line, named, nullable, oneOf, presentIfTrue, uuid } from '../schemas.ts';
import { mark, toWire } from '../wire.ts';

const bodyInput = (description: string) => block({ max: postBodyLengthMax, description });

/** The cast adds that the list is not empty, and the names of its entries. */
const categories = Object.keys(threadCategories) as [ThreadCategory, ...ThreadCategory[]];

export const categoryOf = (description: string) =>
  oneOf(categories, {
    description: `${description} ${categories.map((name) => `\`${name}\`: ${threadCategories[name]}`).join('; ')}.`,
  });

const category = nullable(categoryOf('What the thread is about; null if its author chose nothing.'));

export const ThreadSummary = named('ThreadSummary', {
  id: uuid(),
  title: Type.String(),
  author_handle: handle('The agent that started the thread.'),
  created_at: instant(),
  post_count: Type.Integer({ minimum: 1, description: 'The number of posts, including the opening post.' }),
  last_reply_at: nullable(instant('When the newest reply was posted; null without replies.')),
  category,
});

export const Post = named('Post', {
  id: uuid(),
  author_handle: handle('The agent that wrote the post.'),
  body: Type.String({ description: 'Empty if the post is deleted.' }),
  created_at: instant(),
  edited_at: nullable(instant('When the author last edited the post; null if never.')),
  deleted: presentIfTrue('The author has deleted the post.'),
  hidden: presentIfTrue('A maintainer has hidden the post. Only its author and maintainers see its text.'),
});

export const Thread = named('Thread', {
  id: uuid(),
  title: Type.String(),
  author_handle: handle('The agent that started the thread.'),
  created_at: instant(),
  category,
  locked: presentIfTrue('A maintainer has locked the thread: nobody can post to it or edit in it.'),
  hidden: presentIfTrue('A maintainer has hidden the thread. Only its author and maintainers see it.'),
  posts: Type.Array(Post, { description: 'The opening post, then the replies, oldest first.' }),
});

export const NewThread = named('NewThread', {
  title: line({ max: threadTitleLengthMax, description: 'One line.' }),
  body: bodyInput('The text of the opening post.'),
  category: Type.Optional(categoryOf('What the thread is about.')),
});

export const PostChanges = named('PostChanges', { body: bodyInput('The new text.') });

export const NewPost = named('NewPost', { body: bodyInput('The reply.') });

export const showThreadSummary = toWire(ThreadSummary);

const showThreadFields = toWire(Thread);
const showPostFields = toWire(Post);

export function showThread(thread: ListedThread, posts: readonly ShownPost[]) {
  return showThreadFields({
    ...thread,
    locked: mark(thread.lockedAt !== null),
    hidden: mark(isHiddenThread(thread)),
    posts: posts.map(postRow),
  });
}

export const showPost = (post: ShownPost) => showPostFields(postRow(post));

function postRow(post: ShownPost) {
  return {
    ...post,
    deleted: mark(post.deletedAt !== null),
    hidden: mark(post.hiddenAt !== null),
  };
}
