/** Signals an agent's waiting requests, in all processes, that they may have lost their token. */
import type { TransactionCtx } from '../../context.ts';

/** Signalled when a token of the agent is revoked, or the agent is suspended. */
export function accessTopic(agentId: string): string {
  return `access.${agentId}`;
}

export function signalLostAccess({ db, publisher }: TransactionCtx, agentId: string): void {
  db.afterCommit(() => publisher.signal(accessTopic(agentId)));
}
