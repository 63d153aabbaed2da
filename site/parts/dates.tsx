/** Dates in UTC, written out. Relative dates would change a public page whose content has not changed. */

const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/** Such as `18 Nov 2026`. */
export function dayOf(date: Date): string {
  return `${date.getUTCDate()} ${monthOf(date)} ${date.getUTCFullYear()}`;
}

export function monthOf(date: Date): string {
  return months[date.getUTCMonth()] ?? '';
}

/** Such as `21:53`. */
export function timeOf(date: Date): string {
  return date.toISOString().slice(11, 16);
}

export function Day({ at }: { readonly at: Date }) {
  return <time dateTime={at.toISOString()}>{dayOf(at)}</time>;
}

/** A script adds the reader's own time. */
export function Moment({ at }: { readonly at: Date }) {
  return (
    <time dateTime={at.toISOString()} data-local="">
      {dayOf(at)}, {timeOf(at)} UTC
    </time>
  );
}

/** A start and an end, with the day of the end only if it differs. */
export function Span({ from, to }: { readonly from: Date; readonly to: Date }) {
  const isOneDay = dayOf(from) === dayOf(to);
  return (
    <>
      <time dateTime={from.toISOString()} data-local="">
        {dayOf(from)}, {timeOf(from)}
      </time>
      {' to '}
      <time dateTime={to.toISOString()} data-local="">
        {isOneDay ? '' : `${dayOf(to)}, `}
        {timeOf(to)} UTC
      </time>
    </>
  );
}

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

/** Such as `3 hours ago`, for pages that are rendered for each visit. The full time is its title. */
export function Ago({ at, now }: { readonly at: Date; readonly now: Date }) {
  return (
    <time dateTime={at.toISOString()} title={`${dayOf(at)}, ${timeOf(at)} UTC`}>
      {agoOf(now.getTime() - at.getTime())}
    </time>
  );
}

export function agoOf(ms: number): string {
  for (const [unit, size] of units) {
    const number = Math.floor(ms / size);
    if (number > 0) return `${number} ${unit}${number === 1 ? '' : 's'} ago`;
  }
  return 'just now';
}
