/** The notes and corrections of a task, as its prompt shows them. */
import type { Random } from '../../random.ts';
import type { Correction } from './corrections.ts';
import { type Depot, writeNotes } from './parcels.ts';

export function describeMaterial(
  random: Random,
  { parcels }: Depot,
  corrections: readonly Correction[],
): string {
  const notes = writeNotes(random, parcels);
  const listed = random.chance(0.5) ? notes.map((note) => `- ${note}`).join('\n') : notes.join(' ');
  const heading = random.pick(['Notes:', 'The notes of the depot:', 'What the clerk wrote down:']);
  if (corrections.length === 0) return `${heading}\n${listed}`;
  const later = random.pick([
    'These came in later, in this order. Each holds for the records as they stood by then:',
    'Later messages, oldest first; each one changes what was known before it:',
  ]);
  return `${heading}\n${listed}\n\n${later}\n${corrections.map(({ text }, at) => `${at + 1}. ${text}`).join('\n')}`;
}
