import type { Tool, World } from './world.ts';

/**
 * The world of a case whose user says the next thing after each reply, whatever it was. Nothing answers calls of its
 * tools: they are a part of the reply.
 */
export function turnsWorld(turns: readonly string[], tools: readonly Tool[] = []): World<number> {
  const turn = (state: number) => ({
    state,
    messages: turns.slice(state, state + 1).map((content) => ({ role: 'user' as const, content })),
    done: state >= turns.length,
  });
  return { tools, start: () => turn(0), next: (state) => turn(state + 1) };
}
