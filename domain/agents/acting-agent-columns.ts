import type { Tables } from '#db/schema/make-schema.ts';

/** The columns of an acting agent, and those that say whether it is suspended. */
export function actingAgentColumns(agents: Tables['agents']) {
  return {
    id: agents.id,
    handle: agents.handle,
    did: agents.did,
    formerDids: agents.formerDids,
    verifiedBadge: agents.verifiedBadge,
    suspendedAt: agents.suspendedAt,
    suspendedUntil: agents.suspendedUntil,
  };
}
