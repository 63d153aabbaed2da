/** A model that says what it has heard, so that a test sees whether whole conversations reach it. */
import { expect } from 'bun:test';
import { eq } from 'drizzle-orm';
import type { Ctx } from '#domain/context.ts';
import { listCases, remakeTask } from '#domain/runs/products/eval-run/describe-cases.ts';
import { joinTurns } from '#evals/suite/turns.ts';

export interface Said {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

export function retell(said: readonly Said[]): string {
  const heard = said.filter(({ role }) => role === 'user').map(({ content }) => content);
  return `Heard ${heard.length} messages: ${Bun.SHA256.hash(heard.join('\n'), 'hex').slice(0, 16)}`;
}

/** Every turn of every case of the eval run was answered by {@link retell}, with all turns before it. */
export async function expectRetold(ctx: Ctx, runId: string): Promise<void> {
  const { runs } = ctx.db.tables;
  const [run] = await ctx.db.query.select().from(runs).where(eq(runs.id, runId));
  const cases = await listCases(ctx, runId);
  expect([run?.status, cases.length]).toEqual(['completed', run?.runSize ?? 0]);
  for (const one of cases) {
    const turns = (run === undefined ? null : remakeTask(run, one))?.turns ?? [];
    const said = turns.map((content) => ({ role: 'user', content }) as const);
    const retold = joinTurns(said.map((_, turn) => retell(said.slice(0, turn + 1))));
    expect([one.id, one.response_text]).toEqual([one.id, retold]);
  }
}
