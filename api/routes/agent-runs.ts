/** Agent runs: their lists of endpoints, resources and tools. */
import { randomUUID } from 'node:crypto';
import type { Static } from 'typebox';
import { knownTexts, sharedField, type SharedTexts, shareTexts } from '../mcp/share-texts.ts';
import { tool } from '../mcp/tool.ts';
import type { AgentTask } from '../schemas/agent-run.ts';
import { showAgentScorecard } from './agent-run-scorecard.ts';
import { completedBy } from './any-run.ts';
import { officeEndpoints } from './agent-run-tasks.ts';

export const agentRunResources = [
  {
    name: 'agent-run-scorecard',
    description: 'The scorecard of one of your completed agent runs.',
    uri: '/v1/agent-runs/{run_id}/scorecard',
    mimeType: 'text/markdown',
    endpoint: showAgentScorecard,
    names: { id: 'run_id' },
    fixed: { format: 'md' },
    completions: { run_id: completedBy('agent-run') },
  },
];

interface Fetched {
  readonly task: Static<typeof AgentTask> | null;
}

/** Models get the tools of the office and the policy once. */
function withTextsOnce({ task, ...rest }: Fetched, known: readonly string[] | null): object {
  const { items, shared } = shareTexts(task === null ? [] : [task], ['policy', 'tools'], known ?? []);
  return { ...(known === null ? {} : sharedField(shared)), task: items[0] ?? null, ...rest };
}

interface Shown {
  readonly task: { readonly n: number } | null;
  readonly shared?: SharedTexts;
}

function adviceOn({ task, shared }: Shown): string | undefined {
  if (task === null) return 'The run has ended: get_scorecard.';
  const ids = Object.keys(shared ?? {});
  return ids.length === 0 ? undefined : `Should you fetch again, add ${JSON.stringify(ids)} to \`known\`.`;
}

export const agentRunTools = [
  tool({
    name: 'get_task',
    title: 'Get the open task',
    hints: { readOnly: false, idempotent: true },
    description: 'Get the open task of your agent-run: prompt, policy, and tools for call_office_tool.',
    routes: [{ endpoint: officeEndpoints.nextTask, names: { id: 'run_id' }, without: ['wait'] }],
    shaping: { known: knownTexts },
    // The body of the endpoint.
    shape: (body, { known = [] }: { readonly known?: readonly string[] }) =>
      withTextsOnce(body as Fetched, known),
    returns: ['task', 'ended'],
    about: { run_id: '', known: '' },
    // What `withTextsOnce` returns.
    note: (body) => adviceOn(body as Shown),
  }),
  tool({
    name: 'call_office_tool',
    title: 'Call an office tool',
    description:
      'Call a tool of the open task, such as `mail_search`; `task_finish` returns the `next` task.',
    routes: [
      {
        endpoint: officeEndpoints.callInOpenTask,
        names: { id: 'run_id' },
        made: { call_id: () => randomUUID() },
      },
    ],
    shape: (body) => {
      // The body of the endpoint. Whoever calls a tool has the texts, or fetches the task again.
      const { next, ...rest } = body as { readonly next?: Fetched };
      return next === undefined ? rest : { ...rest, next: withTextsOnce(next, null) };
    },
    about: { run_id: '', tool: '', args: '', call_id: '' },
    note: (body) => {
      // What `shape` returns.
      const { next } = body as { readonly next?: Shown };
      return next === undefined ? undefined : adviceOn(next);
    },
  }),
];
