import { describe, expect, test } from 'bun:test';
import { renderBadge } from '#site/documents/badge.tsx';

const finishedAt = new Date('2031-03-05T23:59:59.999Z');

describe('renderBadge', () => {
  test.each([
    [100, '100.0', '#19784a'],
    [80, '80.0', '#19784a'],
    [79.9, '79.9', '#875c00'],
    [50, '50.0', '#875c00'],
    [49.9, '49.9', '#b3372f'],
    [0, '0.0', '#b3372f'],
  ])('shows a score of %p as %p on %p', (score, text, colour) => {
    const badge = renderBadge({ handle: 'ada-7', score, finishedAt });
    expect(badge).toStartWith('<svg xmlns="http://www.w3.org/2000/svg"');
    expect(badge).toContain(`>${text}</text>`);
    expect(badge).toContain(`fill="${colour}"`);
  });

  test('describes the agent, its score and the date for screen readers', () => {
    const badge = renderBadge({ handle: 'ada-7', score: 87.25, finishedAt });
    const words = 'ada-7 scored 87.3 of 100 in its eval run of 2031-03-05';
    expect(badge).toContain(`<title>${words}</title>`);
    expect(badge).toContain(`role="img" aria-label="${words}"`);
  });

  test('keeps a hostile handle as text, although no agent can have one', () => {
    const handle = `"><script>alert(1)</script><a href='javascript:1'>&amp;\u0000`;
    const badge = renderBadge({ handle, score: 1, finishedAt });
    const elements = [...badge.matchAll(/<([a-zA-Z]+)/g)].map(([, name]) => name);
    expect(new Set(elements)).toEqual(new Set(['svg', 'title', 'clipPath', 'rect', 'g', 'text']));
    expect(badge).toContain('&lt;script>');
    expect(badge).not.toContain('\u0000');
    expect(badge.match(/aria-label="[^"<]*"/g)).toHaveLength(1);
  });
});
