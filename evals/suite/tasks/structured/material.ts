/** The notes and corrections of a task, as its prompt shows them. */
import { drawWording, fillIn } from '../../language/wordings.ts';
import type { Random } from '../../../random.ts';
import correctionWordings from './corrections.json' with { type: 'json' };
import type { Correction } from './corrections.ts';
import noteWordings from './notes.json' with { type: 'json' };
import { writeNotes } from './notes.ts';
import type { Depot } from './parcels.ts';

export function describeMaterial(random: Random, depot: Depot, corrections: readonly Correction[]): string {
  const notes = writeNotes(random, depot);
  const bullet = drawWording(random, noteWordings.layouts);
  // A space stands for notes in one paragraph.
  const listed = bullet === ' ' ? notes.join(' ') : notes.map((note) => `${bullet}${note}`).join('\n');
  const told = `${drawWording(random, noteWordings.headings)}\n${listed}`;
  if (corrections.length === 0) return told;
  const { headings, one, marks } = correctionWordings;
  const heading = drawWording(random, corrections.length === 1 ? one : headings);
  const mark = drawWording(random, marks);
  const lines = corrections.map(({ text }, at) => `${fillIn(mark, { n: at + 1 })}${text}`);
  return `${told}\n\n${heading}\n${lines.join('\n')}`;
}
