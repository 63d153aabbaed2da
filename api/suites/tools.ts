/** Suites over MCP: a tool that finds them, and documents that a host can attach. */
import type { Static } from 'typebox';
import type { ToolDeclaration } from '../mcp/tool.ts';
import type { Resource } from '../mcp/resources.ts';
import type { Suite } from './model.ts';

export const suiteTools: readonly ToolDeclaration[] = [
  {
    name: 'list_suites',
    title: 'Find suites',
    description: 'List or search suites to run, or those of an owner.',
    operations: { listSuites: [] },
    without: ['tag', 'limit'],
  },
];

export const suiteResources: readonly Resource[] = [
  {
    name: 'suite',
    description: 'What a suite asks, and what a run of it costs. `{suite}` is `@owner/name`.',
    uri: '/v1/suites/{suite}',
    mimeType: 'application/json',
    operation: 'getSuite',
    split: { suite: ['owner', 'name'] },
    completions: {
      suite: {
        operation: 'listSuites',
        // The list of an owner also has the private suites that the caller may see.
        asked: (typed) => {
          const [, owner] = /^@([a-z0-9-]+)\//.exec(typed) ?? [];
          return owner === undefined ? {} : { owner };
        },
        options: (body) => {
          // The body of the endpoint above.
          const { suites } = body as { readonly suites: readonly Static<typeof Suite>[] };
          return suites.map(({ ref, title }) => ({ value: ref, words: `${ref} ${title}` }));
        },
      },
    },
  },
];
