/** What is kept of a case of the health check: the request is made again from the seed of its run. */
import type { GraderResult } from '../own-suite/grade-reply.ts';
import type { StoredItem } from '../stored-item.ts';
import type { Part } from './health-case.ts';

export interface StoredCase extends StoredItem {
  id: string;
  part: Part;
  topic: string;
  status: 'passed' | 'failed' | 'error';
  /** Which repetition of its case this is, from 1. */
  trial: number;
  graders: readonly GraderResult[];
  /** The changes to the reply without which it passes (`evals/findings/undo.ts`). */
  undone: readonly string[];
  /** Of the response that was an error. */
  http_status?: number;
}

/** How much of a reply is stored: more than the longest that is asked for, because findings compare them. */
export const storedReplyCharacters = 8_000;
