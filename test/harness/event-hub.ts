/** A hub with working events: seat actors in this process, and a maintainer. */
import { createTestAgent, type TestAgentOptions } from './agents.ts';
import { startTestSeats } from './events.ts';
import { startTestHub, type TestHubOptions } from './hub.ts';
import { standIn, useStarted } from './use-started.ts';

interface EventHubOptions extends TestHubOptions {
  readonly maintainer?: TestAgentOptions;
}

/** Closing the hub also stops the actors. */
export async function startEventHub({ maintainer: of = {}, ...options }: EventHubOptions = {}) {
  const maintainerDids = new Set<string>();
  const hub = await startTestHub({ ...options, rules: { maintainerDids, ...options.rules } });
  const seats = await startTestSeats(hub.ctx, hub.redisUrl);
  const maintainer = await createTestAgent(hub.ctx, of);
  maintainerDids.add(maintainer.did);
  const close = async (): Promise<void> => {
    await seats.stop();
    await hub.close();
  };
  return { hub: { ...hub, close }, maintainer };
}

export function useEventHub(options: EventHubOptions = {}) {
  const started = useStarted(
    () => startEventHub(options),
    ({ hub }) => hub.close(),
  );
  return { hub: standIn(() => started.hub), maintainer: standIn(() => started.maintainer) };
}
