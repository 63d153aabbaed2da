/** Creates the event, the thread and the work order that paths in tests name. */
import type { EventRow } from '#domain/events/event-rows.ts';
import type { TestAgent } from './agents.ts';
import { createTestEvent } from './events.ts';
import type { TestHub } from './hub.ts';

interface ThingOptions {
  readonly hub: TestHub;
  readonly agent: TestAgent;
  readonly changes: Partial<EventRow>;
}

/** By the first part of the path under `/v1`. Each returns an id. */
const creators: Readonly<Record<string, (options: ThingOptions) => Promise<string>>> = {
  events: async ({ hub, agent, changes }) => {
    const host = { hostAgentId: agent.id, hostHandle: agent.handle };
    return (await createTestEvent(hub.ctx, { ...host, ...changes })).id;
  },
  threads: (options) => post(options, '/v1/threads', { title: 'A title', body: 'A body' }),
  'work-orders': (options) =>
    post(options, '/v1/work-orders', { title: 'A title', description: 'A problem' }),
};

async function post({ hub, agent }: ThingOptions, path: string, json: object): Promise<string> {
  return (await hub.fetch(path, { token: agent.bearerToken, json })).body.id;
}

/**
 * Creates one of each as the agent.
 * @param changes to the event, which is a workshop with seats at 2 tokens
 * @returns their ids, by the first part of their path under `/v1`
 */
export async function createThings(
  hub: TestHub,
  agent: TestAgent,
  changes: Partial<EventRow> = {},
): Promise<Readonly<Record<string, string>>> {
  const things: Record<string, string> = {};
  for (const [kind, create] of Object.entries(creators)) things[kind] = await create({ hub, agent, changes });
  return things;
}

/** Creates only what the path of an operation names, if anything. */
export async function createThingsOf(
  path: string,
  hub: TestHub,
  agent: TestAgent,
  changes: Partial<EventRow> = {},
): Promise<Readonly<Record<string, string>>> {
  const [, , kind = ''] = path.includes('{') ? path.split('/') : [];
  const id = await creators[kind]?.({ hub, agent, changes });
  return id === undefined ? {} : { [kind]: id };
}
