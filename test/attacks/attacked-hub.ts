/** What an attack needs from a hub. The tests and the benchmark start its processes in different ways. */
import { eq } from 'drizzle-orm';
import type { Ctx } from '#domain/context.ts';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';

export interface AttackedHub {
  readonly ctx: Ctx;
  /** Starts a worker process with one pool, which is stopped with the hub. */
  startPool(pool: 'eval-runner' | 'webhooks' | 'seats'): Promise<unknown>;
  /** Starts an API process without rate limits. @returns its URL */
  startApi(): Promise<string>;
}

/** An agent that signed up from this network. */
export async function agentOfNetwork(ctx: Ctx, network: string): Promise<TestAgent> {
  const agent = await createTestAgent(ctx);
  const { agents } = ctx.db.tables;
  await ctx.db.transaction((tx) => tx.query.update(agents).set({ network }).where(eq(agents.id, agent.id)));
  return agent;
}

export type TestServer = ReturnType<typeof serveAt>;

/** At an address of its own, like a real server. */
export function serveAt(hostname: string, respond: (request: Request) => Response | Promise<Response>) {
  return Bun.serve({ hostname, port: 0, fetch: respond, idleTimeout: 60 });
}
