/**
 * Extracts the answer from a reply. Style never counts, content always does: wrapping, labels, greetings and reasons
 * are removed; two candidates, a doubt, a denial or a retraction make the reply unreadable. No language model judges.
 */
import type { AnswerType, ReadAnswer, ReadOptions } from './answer.ts';
import { cleanTransport } from '../graders/clean-transport.ts';
import { dropReasoning } from '../graders/drop-reasoning.ts';
import { readRegion } from './locate.ts';
import { hasOtherCandidates } from './other-candidates.ts';
import { parserOf } from './parsers.ts';
import { renderMarkup } from './render-markup.ts';

/** The number of characters read from the end of a reply, after removing its reasoning. */
const maxReadCharacters = 16_384;
const maxReadLines = 1_200;

/** The total number of characters that may be read, counting nested regions repeatedly. */
const maxWork = 45_000;
const maxReplyCharacters = 262_144;
const maxLooseCharacters = 400;

export function readAnswer(reply: string, type: AnswerType, options: ReadOptions = {}): ReadAnswer {
  if (reply.length > maxReplyCharacters) return { ok: false, reason: 'too long', loose: '' };
  const spoken = dropReasoning(cleanTransport(reply));
  if (spoken === null) return { ok: false, reason: 'unfinished reasoning', loose: '' };
  const text = renderMarkup(endOf(spoken.trim())).trim();
  if (text === '') return { ok: false, reason: 'empty', loose: '' };
  const parse = parserOf(type, options);
  const outcome = readRegion(text, { type, parse, work: { left: maxWork } });
  const loose = outcome.loose.slice(0, maxLooseCharacters);
  if (!('reading' in outcome)) return { ok: false, reason: outcome.reason, loose };
  return hasOtherCandidates(text, outcome.reading, type, parse)
    ? { ok: false, reason: 'several candidates', loose }
    : { ok: true, ...outcome.reading, loose };
}

/** The end of a long reply, from the start of a line. */
function endOf(text: string): string {
  const end = text.length <= maxReadCharacters ? text : wholeLines(text.slice(-maxReadCharacters));
  const lines = end.split('\n');
  return lines.length <= maxReadLines ? end : lines.slice(-maxReadLines).join('\n');
}

function wholeLines(text: string): string {
  return text.slice(text.indexOf('\n') + 1);
}
