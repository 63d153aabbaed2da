/** What an office is made of: the words of its manual, its chapters, and the families of its tasks. */
import type { ChapterSpec } from './company.ts';
import { chapterSpecs, families } from './families/families.ts';
import { publicWords, type Words } from './manual/words.ts';
import type { Family } from './tasks.ts';

export interface Office {
  readonly words: Words;
  /** The chapters that decide cases. */
  readonly chapters: readonly ChapterSpec[];
  readonly families: readonly Family[];
}

export const publicOffice: Office = { words: publicWords, chapters: chapterSpecs, families };
