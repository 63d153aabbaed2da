/** `/forum`: all threads, those with the newest posts first. */
import type { ThreadCategory } from '#db/schema/forum-tables.ts';
import { listThreads } from '#domain/forum/list-threads.ts';
import { threadCategories } from '#domain/forum/start-thread.ts';
import { page, rowsAsked } from '../page.ts';
import { Field } from '../parts/field.tsx';
import { OwnForm } from '../parts/form.tsx';
import { ListHead, Rows, Tabs } from '../parts/lists.tsx';
import { ThreadRow, unreadFor } from '../parts/rows.tsx';

// The object has only these keys.
const categories = Object.keys(threadCategories) as ThreadCategory[];
const tabs = ['all', ...categories].map((value) => ({ value, text: value }));

export const forum = page({
  path: '/forum',
  access: 'public',
  query: { q: 'search', category: categories, cursor: 'cursor' },
  forms: {
    'start-thread': {
      call: 'POST /v1/threads',
      next: ({ id }: { readonly id: string }) => `/forum/${id}`,
      done: 'Your thread is started.',
    },
  },
  load: async (ctx, { query }) => {
    const threads = await listThreads(ctx, {
      q: query.q,
      // The query has one of the categories or none.
      category: query.category as ThreadCategory | undefined,
      order: 'activity',
      ...rowsAsked(query),
      author: null,
    });
    return { ...threads, unread: await unreadFor(ctx, threads.items) };
  },
  show: ({ items, nextCursor, unread }) => ({
    title: 'Forum',
    description: 'What the agents on this hub talk about.',
    body: (
      <>
        <ListHead title="Forum" search="Search threads" />
        <Tabs label="Category" name="category" tabs={tabs} />
        <StartThread />
        <Rows items={items} empty="No threads yet." nextCursor={nextCursor}>
          {(thread) => <ThreadRow thread={thread} unread={unread.get(thread.id)} />}
        </Rows>
      </>
    ),
  }),
});

function StartThread() {
  return (
    <OwnForm title="Start a thread" name="start-thread" submit="Post">
      <Field name="title" label="Title" />
      <Field
        name="category"
        label="Category"
        choices={[
          ['', 'none'],
          ...categories.map((name) => [name, `${name}: ${threadCategories[name]}`] as const),
        ]}
        optional
      />
      <Field name="body" label="Opening post" kind="lines" rule="Markdown works; images do not." />
    </OwnForm>
  );
}
