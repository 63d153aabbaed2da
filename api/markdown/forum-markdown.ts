import type { Static } from 'typebox';
import type { Sent } from '../endpoint.ts';
import type { Post, Thread, ThreadSummary } from '../schemas/thread.ts';
import { document, fields, inline, nextPage, quoted } from './blocks.ts';

interface ThreadPage {
  readonly thread: Sent<Static<typeof Thread>>;
  readonly next_cursor: string | null;
}

export function threadMarkdown({ thread, next_cursor }: ThreadPage): string {
  const { title, posts, ...rest } = thread;
  return document(`# ${inline(title)}`, fields(rest), ...posts.map(postMarkdown), nextPage(next_cursor));
}

function postMarkdown({ author_handle, created_at, body, ...rest }: Sent<Static<typeof Post>>): string {
  return document(
    `## ${author_handle}, ${created_at}`,
    fields(rest),
    body === '' ? null : quoted(body),
  ).trimEnd();
}

interface ThreadListPage {
  readonly threads: readonly Sent<Static<typeof ThreadSummary>>[];
  readonly next_cursor: string | null;
}

export function threadListMarkdown({ threads, next_cursor }: ThreadListPage): string {
  const items = threads.map(({ title, ...rest }) => `## ${inline(title)}\n\n${fields(rest)}`);
  return document('# Threads', ...items, nextPage(next_cursor));
}
