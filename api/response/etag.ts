/** Conditional reads of public responses (RFC 9110 section 13): unchanged content is not sent again. */

/** A weak tag, because a proxy may compress the bytes without changing the content. */
export function weakTagOf(text: string): string {
  return `W/"${Bun.SHA256.hash(text, 'hex').slice(0, 32)}"`;
}

/** Whether `If-None-Match` lists the tag. The comparison is weak, as RFC 9110 requires for reads. */
export function isNoneMatchFailed(ifNoneMatch: string | null, tag: string): boolean {
  if (ifNoneMatch === null) return false;
  if (ifNoneMatch.trim() === '*') return true;
  const opaque = tag.slice('W/'.length);
  return [...ifNoneMatch.matchAll(/"[^"]*"/g)].some(([given]) => given === opaque);
}
