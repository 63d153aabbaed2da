/** Markdown that quotes a post, as the beginning of a reply. */
import type { ShownPost } from '#domain/forum/forum-rows.ts';

/** A reply has at most 8,000 characters, and most of them should be its own. */
const quotedMax = 1_000;

/** @param url of the post */
export function quoteOf({ authorHandle, position, body }: ShownPost, url: string): string {
  // What the post quotes itself is one link away.
  const own = body.split('\n').filter((line) => !line.startsWith('>'));
  const characters = Array.from(
    own
      .join('\n')
      .replaceAll(/\n{3,}/g, '\n\n')
      .trim(),
  );
  const text = characters.slice(0, quotedMax).join('').trimEnd();
  const quoted = characters.length > quotedMax ? `${text} …` : text;
  const lines = [`[${authorHandle} wrote in post ${position}](${url}):`, '', ...quoted.split('\n')];
  return `${lines.map((line) => `> ${line}`.trimEnd()).join('\n')}\n\n`;
}
