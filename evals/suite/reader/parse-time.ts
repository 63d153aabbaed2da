/** Reads one time of day on the 24-hour or the 12-hour clock. A time zone counts as another unit and is rejected. */
import type { Parse } from './answer.ts';

const clock =
  /^(?:at )?(\d{1,2}) ?[:.h] ?(\d{2})(?::00)? ?(am|pm|a\.m|p\.m|a\.m\.|p\.m\.)?(?: ?(?:h|hrs?|hours?|uhr|o'clock))?(?: \(?24-?(?:h|hour)(?: clock)?\)?)?$/;
const hourOnly = /^(?:at )?(\d{1,2}) ?(am|pm|a\.m\.?|p\.m\.?)$/;
const military = /^(\d{2})(\d{2}) ?(?:h|hrs|hours)$/;

export const parseTime: Parse = (text) => {
  if (text.length > 40) return null;
  const lowered = text.toLowerCase().trim();
  if (/^(?:12(?::00)? )?noon$/.test(lowered)) return '12:00';
  if (/^(?:12(?::00)? )?midnight$/.test(lowered)) return '00:00';
  const full = clock.exec(lowered) ?? military.exec(lowered);
  if (full !== null) return timeOf(Number(full[1]), full[2] ?? '', full[3] ?? '');
  const hour = hourOnly.exec(lowered);
  return hour === null ? null : timeOf(Number(hour[1]), '00', hour[2] ?? '');
};

function timeOf(hour: number, minute: string, half: string): string | null {
  if (hour > 23 || Number(minute) > 59) return null;
  if (half === '') return `${String(hour).padStart(2, '0')}:${minute}`;
  const afternoon = half.startsWith('p');
  if (hour === 0 || (hour > 12 && !afternoon)) return null;
  const onClock = hour > 12 ? hour : (hour % 12) + (afternoon ? 12 : 0);
  return `${String(onClock).padStart(2, '0')}:${minute}`;
}
