import { expect, test } from 'bun:test';
import { shorten } from '#evals/safe-text.ts';

test('a long text is shortened to its ends, and never repeated', () => {
  const text = 'abcdefghij'.repeat(10);
  expect(shorten(text, 3, 2)).toBe('abc\n[… 95 characters …]\nij');
  expect(shorten(text, 3, 0)).toBe('abc\n[… 97 characters …]');
  expect(shorten(text, 60, 40)).toBe(text);
});
