/** A change as a mark on a scale around 0, with its interval as a band. */
import { signed } from './numbers.ts';

interface ChangeBarProps {
  readonly change: number;
  readonly interval: { readonly low: number; readonly high: number };
  /** The end of the scale on both sides. */
  readonly max: number;
  /** Shows the numbers of the scale. */
  readonly isLarge?: boolean;
}

export function ChangeBar({ change, interval: { low, high }, max, isLarge = false }: ChangeBarProps) {
  const x = (value: number): number => 50 + (50 * value) / max;
  const label = `${signed(change)}, 95% interval ${signed(low)} to ${signed(high)}`;
  const tone = low > 0 ? 'up' : high < 0 ? 'down' : '';
  return (
    <svg class={`bar change ${tone} ${isLarge ? 'large' : ''}`} role="img" aria-label={label}>
      <rect class="axis" y="5.5" width="100%" height="1" />
      <rect
        class="band"
        x={`${x(low)}%`}
        y="2"
        width={`${Math.max(x(high) - x(low), 0.5)}%`}
        height="8"
        rx="4"
      />
      <line class="zero" x1="50%" x2="50%" y1="0" y2="12" />
      <circle class="dot" cx={`${x(change)}%`} cy="6" r="4" />
      {isLarge
        ? [-max, 0, max].map((value) => (
            <text
              key={value}
              x={`${x(value)}%`}
              y="28"
              text-anchor={value < 0 ? 'start' : value > 0 ? 'end' : 'middle'}
            >
              {signed(value, 0)}
            </text>
          ))
        : null}
    </svg>
  );
}
