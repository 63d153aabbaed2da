/** Days as YYYY-MM-DD and office time. */
const dayMs = 86_400_000;

export function dayAfter(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * dayMs).toISOString().slice(0, 10);
}

export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / dayMs);
}

/** Full years. */
export function yearsBetween(from: string, to: string): number {
  return Math.floor(daysBetween(from, to) / 365.25);
}

const months = 'January February March April May June July August September October November December'.split(
  ' ',
);

/** "4 May 2031" */
export function longDay(day: string): string {
  const [year = '', month = '1', date = '1'] = day.split('-');
  return `${Number(date)} ${months[Number(month) - 1] ?? ''} ${year}`;
}

/** The time of day after `minutes` since midnight, as HH:MM. */
export function clock(minutes: number): string {
  const [hour, minute] = [Math.floor(minutes / 60) % 24, minutes % 60];
  return `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
}
