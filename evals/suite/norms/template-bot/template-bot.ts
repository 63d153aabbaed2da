/**
 * A template bot, the suite's standing adversary: no language model, only rules for the texts of the public kinds. It
 * was written from ten scorecards by somebody who had not seen the generators, and it does not change with them. Its
 * score on the public kinds shows that a program can solve them; its score on unseen kinds shows that it understands
 * nothing.
 */
import { arithmetic, boxes, ledger, seats } from './execution.ts';
import { count, edit, sort } from './words.ts';
import { liars, story, zebra } from './deduction.ts';
import { schedule } from './schedule.ts';
import { counter, freightLog } from './security.ts';
import { chronicle, tollLog } from './documents.ts';
import { dossier } from './dossier.ts';
import { write } from './writer.ts';
import { extract, lines, schemaDocument, table } from './structured.ts';
import { brief } from './brief.ts';

export interface Message {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

const SOLVERS: readonly ((text: string) => string | undefined)[] = [
  schemaDocument,
  extract,
  table,
  lines,
  brief,
  tollLog,
  chronicle,
  dossier,
  edit,
  sort,
  count,
  seats,
  boxes,
  ledger,
  arithmetic,
  schedule,
  liars,
  story,
  zebra,
];

export function templateBot(messages: readonly Message[]): string {
  const turns = messages.filter((message) => message.role === 'user').map((message) => message.content);
  const text = turns.at(-1) ?? '';
  const guarded = counter(turns) ?? freightLog(turns) ?? write(turns);
  if (guarded !== undefined) return guarded;
  for (const solve of SOLVERS) {
    const reply = solve(text);
    if (reply !== undefined) return reply;
  }
  return '';
}
