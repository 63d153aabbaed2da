/**
 * Finds the document in a reply whose form is part of the task: bare, in a code fence, or with other text around it.
 */
import { maxReplyCharacters } from '../../limits.ts';
import { cleanTransport } from '../../own-suite/graders/clean-transport.ts';
import { dropReasoning } from '../../own-suite/graders/drop-reasoning.ts';

interface Document {
  readonly text: string;
  /** Whether the reply is the document or one code fence around it, and nothing else. */
  readonly alone: boolean;
}

const opening = /^[ ]{0,3}(`{3,8}|~{3,8})[^`]{0,40}$/;
/** Nobody needs more fences; hostile replies have thousands. */
const maxFences = 40;

/**
 * The documents that the reply may intend, at most one of them in the right form. Empty if the reply is empty or its
 * reasoning never ends.
 */
export function readDocuments(reply: string): readonly Document[] {
  if (reply.length > maxReplyCharacters) return [];
  const spoken = dropReasoning(cleanTransport(reply));
  const text = spoken?.replace(/^(?:[ ]*\n)+/, '').trimEnd() ?? '';
  if (text.trim() === '') return [];
  const fenced = readFences(text);
  return fenced.length > 0 ? fenced : [{ text, alone: true }];
}

/** One pass over the lines. A fence that never closes is not one. */
export function readFences(text: string): Document[] {
  const lines = text.split('\n');
  const documents: Document[] = [];
  let mark: string | null = null;
  let from = 0;
  for (const [at, line] of lines.entries()) {
    if (mark === null) {
      mark = opening.exec(line)?.[1] ?? null;
      from = at;
    } else if (line.trim() === mark) {
      const alone = from === 0 && at === lines.length - 1;
      documents.push({ text: lines.slice(from + 1, at).join('\n'), alone });
      mark = null;
    }
    if (documents.length === maxFences) break;
  }
  return documents;
}
