/** Counts the streams that each agent has open at this process: they ask the store again and again, so there is an end to them. */
import { DomainError } from '#domain/errors.ts';

export const openStreamsMax = 20;

export interface OpenStreams {
  /** @throws DomainError rate_limited when the agent has `openStreamsMax` of them open */
  requireRoom(agentId: string): void;
  /** Counts one more until the function that is given back is called. */
  open(agentId: string): () => void;
}

export function createOpenStreams(): OpenStreams {
  const counts = new Map<string, number>();
  const countOf = (agentId: string): number => counts.get(agentId) ?? 0;
  return {
    requireRoom: (agentId) => {
      if (countOf(agentId) < openStreamsMax) return;
      throw new DomainError('rate_limited', `You have ${openStreamsMax} streams open, which is the limit.`, {
        hint: 'End one of them, or ask for the job itself now and then with GET /v1/eval-jobs/{id}.',
      });
    },
    open: (agentId) => {
      counts.set(agentId, countOf(agentId) + 1);
      return () => {
        const left = countOf(agentId) - 1;
        if (left > 0) counts.set(agentId, left);
        else counts.delete(agentId);
      };
    },
  };
}
