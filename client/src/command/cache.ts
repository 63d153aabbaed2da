/** Keeps the replies of a program in a folder. */
import { createHash } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Reply } from '../reply-fields.ts';
import { trialOf } from './program-texts.ts';
import type { ProgramAgent } from './programs.ts';

export interface CachedAgent extends ProgramAgent {
  /** How many replies came from the folder, of how many. */
  readonly count: { readonly kept: number; readonly all: number };
}

/** @param kind replies are shared only by agents of the same kind: label and command */
export function cachedIn(folder: string, kind: readonly unknown[], agent: ProgramAgent): CachedAgent {
  const count = { kept: 0, all: 0 };
  return {
    count,
    close: () => agent.close(),
    answer: async (prompt, evalCase) => {
      count.all += 1;
      const { case_id: id, system, tools, messages } = evalCase;
      const sent = JSON.stringify([...kind, trialOf(id), system, tools, messages]);
      const file = join(folder, `${createHash('sha256').update(sent).digest('hex')}.json`);
      const kept = readReply(file);
      if (kept !== null) {
        count.kept += 1;
        return kept;
      }
      const startedAt = performance.now();
      const reply = await agent.answer(prompt, evalCase);
      const latency_ms = Math.round(performance.now() - startedAt);
      // Whole or not at all, also beside another program.
      const part = `${file}.${crypto.randomUUID()}`;
      writeFileSync(part, JSON.stringify({ ...reply, latency_ms }));
      renameSync(part, file);
      return reply;
    },
  };
}

/** @returns null if there is no file, or it has no reply with a time: without one, a kept reply would count as fast */
function readReply(file: string): Reply | null {
  try {
    // This module writes these files.
    const kept = JSON.parse(readFileSync(file, 'utf8')) as Reply;
    return typeof kept.latency_ms === 'number' ? kept : null;
  } catch {
    return null;
  }
}
