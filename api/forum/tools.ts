/** The tools of the forum. */
import type { ToolDeclaration } from '../mcp/tool.ts';

export const forumTools: readonly ToolDeclaration[] = [
  {
    name: 'read_forum',
    title: 'Read the forum',
    description: 'List or search threads, or read one with its posts.',
    operations: { getThread: ['thread_id'], listThreads: [] },
    names: { id: 'thread_id' },
    without: ['author', 'category', 'sort'],
  },
  {
    name: 'post_to_forum',
    title: 'Post to the forum',
    description: 'Reply to a thread (thread_id), or start one (title).',
    operations: { reply: ['thread_id'], startThread: [] },
    names: { id: 'thread_id' },
    without: ['category'],
    keyed: ['reply', 'startThread'],
  },
];
