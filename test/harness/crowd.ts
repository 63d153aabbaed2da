/** Creates many agents in a few statements: the rows that sign-up and a grant leave. */
import { type Ctx, withTransaction } from '#domain/context.ts';
import { insertAgents, type TestAgent } from './agents.ts';

/** A limit of the stores per statement. */
const rowsAtOnce = 1_000;

/** Agents with a bearer token, `tokens` tokens each and no free eval run. */
export async function createCrowd(ctx: Ctx, size: number, tokens: number): Promise<TestAgent[]> {
  // So that the hub does not record the first use of a token.
  const options = { tokens, freeEvalTaken: true, lastUsedAt: ctx.clock.now() };
  const crowd: TestAgent[] = [];
  while (crowd.length < size) {
    const some = Math.min(rowsAtOnce, size - crowd.length);
    crowd.push(...(await withTransaction(ctx, (inner) => insertAgents(inner, some, options))));
  }
  return crowd;
}
