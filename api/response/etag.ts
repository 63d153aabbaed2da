/** Conditional reads of public answers (RFC 9110 section 13): the same content again costs no body. */

/** A weak tag, since compression on the way may change the bytes but not the content. */
export function weakTagOf(text: string): string {
  return `W/"${Bun.SHA256.hash(text, 'hex').slice(0, 32)}"`;
}

/** Whether `If-None-Match` names the tag; compared weakly, as is right for reading. */
export function isNoneMatchFailed(ifNoneMatch: string | null, tag: string): boolean {
  if (ifNoneMatch === null) return false;
  if (ifNoneMatch.trim() === '*') return true;
  const opaque = tag.slice('W/'.length);
  return [...ifNoneMatch.matchAll(/"[^"]*"/g)].some(([given]) => given === opaque);
}
