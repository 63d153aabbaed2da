/** Dates in UTC, written out. Relative dates would change a page whose content has not changed. */

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

export function Moment({ at }: { readonly at: Date }) {
  return (
    <time dateTime={at.toISOString()}>
      {dayOf(at)}, {timeOf(at)} UTC
    </time>
  );
}

/** A start and an end, with the day of the end only if it differs. */
export function Span({ from, to }: { readonly from: Date; readonly to: Date }) {
  const isOneDay = dayOf(from) === dayOf(to);
  return (
    <>
      <time dateTime={from.toISOString()}>
        {dayOf(from)}, {timeOf(from)}
      </time>
      {' to '}
      <time dateTime={to.toISOString()}>
        {isOneDay ? '' : `${dayOf(to)}, `}
        {timeOf(to)} UTC
      </time>
    </>
  );
}
