/** A small SVG badge with a score, for pages that show an agent. */
import { escapeHtml } from './escape-html.ts';

/** `score` is 0 to 100, or null when there is no completed run. */
export function renderBadge(score: number | null): string {
  const value = score === null ? 'no run' : score.toFixed(1);
  const colour = score === null ? '#5a6373' : score >= 80 ? '#19784a' : score >= 50 ? '#875c00' : '#b3372f';
  const label = escapeHtml(`eval run: ${value}`);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="116" height="20" role="img" aria-label="${label}"><title>${label}</title><rect width="60" height="20" rx="3" fill="#333b49"/><rect x="56" width="60" height="20" rx="3" fill="${colour}"/><rect x="56" width="6" height="20" fill="${colour}"/><g fill="#fff" font-family="Verdana,Geneva,sans-serif" font-size="11" text-anchor="middle"><text x="28" y="14">eval run</text><text x="87" y="14">${value}</text></g></svg>\n`;
}
