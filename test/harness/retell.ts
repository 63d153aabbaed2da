/** A model that says what it has heard, so that a test sees whether whole conversations reach it. */
import { expect } from 'bun:test';
import type { Ctx } from '#domain/context.ts';
import { askedOfCheck } from '#domain/runs/products/eval-run.ts';
import { readResult } from '#domain/runs/cases/read-results.ts';
import { listItemsInParts } from '#domain/runs/store-items.ts';
import { rowOf } from './rows.ts';

export interface Said {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

export function retell(said: readonly Said[]): string {
  const heard = said.filter(({ role }) => role === 'user').map(({ content }) => content);
  return `Heard ${heard.length} messages: ${Bun.SHA256.hash(heard.join('\n'), 'hex').slice(0, 16)}`;
}

/** The last turn of every case of the eval run was answered by {@link retell}, with all turns before it. */
export async function expectRetold(ctx: Ctx, runId: string): Promise<void> {
  const run = await rowOf(ctx, 'runs', { id: runId });
  const result = await readResult(ctx, runId);
  const items = await listItemsInParts(ctx, runId, (item) => item);
  expect([run.status, items.length]).toEqual(['completed', run.runSize]);
  const asked = askedOfCheck(run, result?.marks ?? {});
  for (const [place, { id, messages = [], turns }] of (asked?.cases ?? []).entries()) {
    const heard = turns ?? messages.map(({ content }) => content);
    const said = heard.map((content) => ({ role: 'user', content }) as const);
    expect([id, items[place]?.response_text]).toEqual([id, retell(said)]);
  }
}
