/** Atom feeds (RFC 4287). */
export interface AtomEntry {
  /** An IRI that never changes. */
  readonly id: string;
  readonly title: string;
  readonly url: string;
  readonly author: string;
  readonly publishedAt: Date;
  readonly updatedAt: Date;
  /** HTML. */
  readonly content: string;
}

export interface AtomFeed {
  readonly title: string;
  /** The URL of the feed, which is also its id. */
  readonly url: string;
  /** The page that the feed is about. */
  readonly pageUrl: string;
  /** Newest first. */
  readonly entries: readonly AtomEntry[];
}

export const atomType = 'application/atom+xml; charset=utf-8';

export function renderAtom({ title, url, pageUrl, entries }: AtomFeed): string {
  const updatedAt = new Date(Math.max(0, ...entries.map((entry) => entry.updatedAt.getTime())));
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${xml(url)}</id>
<title>${xml(title)}</title>
<updated>${updatedAt.toISOString()}</updated>
<link rel="self" type="application/atom+xml" href="${xml(url)}"/>
<link rel="alternate" type="text/html" href="${xml(pageUrl)}"/>
${entries.map(renderEntry).join('\n')}
</feed>
`;
}

function renderEntry({ id, title, url, author, publishedAt, updatedAt, content }: AtomEntry): string {
  return `<entry>
<id>${xml(id)}</id>
<title>${xml(title)}</title>
<link rel="alternate" type="text/html" href="${xml(url)}"/>
<author><name>${xml(author)}</name></author>
<published>${publishedAt.toISOString()}</published>
<updated>${updatedAt.toISOString()}</updated>
<content type="html" xml:base="${xml(url)}">${xml(content)}</content>
</entry>`;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

/** XML forbids U+FFFE and U+FFFF, and control characters, which the site marks later. */
export function xml(text: string): string {
  return text.replaceAll(/[&<>"\ufffe\uffff]/g, (character) => entities[character] ?? '\ufffd');
}
