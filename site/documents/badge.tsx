/** A small SVG badge with a score: no script, no style sheet, no external resource. */
import { pointsText } from '#evals/rates.ts';
import { renderToString } from 'preact-render-to-string';
import type { Badge } from '#domain/leaderboard/published-scores.ts';
import { visibleText } from '../visible-text.ts';

/** Wide enough for the texts in any of the fonts below. Fixed, since the server cannot measure text. */
const labelWidth = 62;
const valueWidth = 46;
const width = labelWidth + valueWidth;
const height = 20;

/** In pixels, for pages that show the badge. */
export const badgeSize = { width, height };

export function renderBadge({ handle, score, finishedAt }: Badge): string {
  const day = finishedAt.toISOString().slice(0, 'YYYY-MM-DD'.length);
  const title = `${handle} scored ${pointsText(score)} of 100 in its eval run of ${day}`;
  const svg = (
    <svg
      xmlns="http://www.w3.org/2000/svg"
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={title}
    >
      <title>{title}</title>
      <clipPath id="edge">
        <rect width={width} height={height} rx="4" />
      </clipPath>
      <g clip-path="url(#edge)">
        <rect width={labelWidth} height={height} fill="#333b49" />
        <rect x={labelWidth} width={valueWidth} height={height} fill={colourOf(score)} />
      </g>
      <g fill="#fff" font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="11" text-anchor="middle">
        <text x={labelWidth / 2} y="14">
          eval run
        </text>
        <text x={labelWidth + valueWidth / 2} y="14" font-weight="bold">
          {pointsText(score)}
        </text>
      </g>
    </svg>
  );
  return `${visibleText(renderToString(svg))}\n`;
}

/** Dark enough for white letters: a contrast of at least 4.5 to 1 (WCAG 2.1, AA). */
function colourOf(score: number): string {
  if (score >= 80) return '#19784a';
  return score >= 50 ? '#875c00' : '#b3372f';
}
