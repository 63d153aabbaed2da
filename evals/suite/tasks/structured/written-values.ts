/** How one hand writes days and weights. */
import { ordinal } from '../../language/sentence.ts';
import { drawStyle, drawWording, fillIn } from '../../language/wordings.ts';
import type { Random } from '../../../random.ts';
import wordings from './notes.json' with { type: 'json' };

export interface Hand {
  readonly day: (day: string) => string;
  readonly weight: (kilograms: number) => string;
}

export const months =
  'January February March April May June July August September October November December'.split(' ');

export function drawHand(random: Random): Hand {
  const days = drawStyle(random, wordings.days, 3);
  const units = drawStyle(random, wordings.units, 2);
  return {
    day: (day) => writeDay(drawWording(random, days), day),
    weight: (kilograms) => `${kilograms} ${drawWording(random, units)}`,
  };
}

/** @param form such as "{d} {month} {year}" */
function writeDay(form: string, day: string): string {
  const [year = '', mm = '', dd = ''] = day.split('-');
  const month = months[Number(mm) - 1] ?? '';
  const d = Number(dd);
  return fillIn(form, { year, mm, dd, d, month, mon: month.slice(0, 3), nth: ordinal(d) });
}
