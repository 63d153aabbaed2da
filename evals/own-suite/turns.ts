/** Cases in which the user speaks several times. */
import { Turn } from './document.ts';
import { findShapeFaults } from './fault.ts';
import { type Fields, isFields } from './exact-json.ts';
import { type At, entriesOf, type Given, under } from './placed-values.ts';

/** The turn that an entry of `expect`, `accepted` or `refused` is for; null for the last reply. */
export function turnOf(entry: unknown): number | null {
  const turn: unknown = isFields(entry) ? entry['turn'] : undefined;
  return typeof turn === 'number' ? turn : null;
}

/** A list of a turn, each entry marked with the turn that it is for. */
export function turnEntries(own: Fields, field: 'expect' | 'accepted' | 'refused', at: At): readonly Given[] {
  return entriesOf(own['turns'], under(at, 'turns')).flatMap(({ value, at: place }, index) => {
    if (!isTurn(value)) return [];
    return entriesOf(value[field], under(place, field)).map((entry) => ({
      ...entry,
      value: isFields(entry.value)
        ? { ...entry.value, turn: index + 1 }
        : typeof entry.value === 'string' && field !== 'expect'
          ? { text: entry.value, turn: index + 1 }
          : entry.value,
    }));
  });
}

function isTurn(value: unknown): value is Turn & Fields {
  return isFields(value) && findShapeFaults(Turn, value, [], 'turn').length === 0;
}

export function textsOfTurns(turns: unknown): unknown {
  return Array.isArray(turns) ? turns.map((each: unknown) => (isTurn(each) ? each.prompt : each)) : turns;
}
