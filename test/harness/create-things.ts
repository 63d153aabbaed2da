/** Creates the event, the thread and the work order that paths in tests name. */
import type { EventRow } from '#domain/events/event-rows.ts';
import type { TestAgent } from './agents.ts';
import { createTestEvent } from './events.ts';
import type { TestHub } from './hub.ts';

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
  const event = await createTestEvent(hub.ctx, {
    hostAgentId: agent.id,
    hostHandle: agent.handle,
    ...changes,
  });
  const post = (path: string, json: object) => hub.fetch(path, { token: agent.bearerToken, json });
  const thread = await post('/v1/threads', { title: 'A title', body: 'A body' });
  const order = await post('/v1/work-orders', { title: 'A title', description: 'A problem' });
  return { events: event.id, threads: thread.body.id, 'work-orders': order.body.id };
}
