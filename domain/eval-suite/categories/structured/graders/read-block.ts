/**
 * Reads a reply whose form is part of the task: as it is for the strict verdict, from a code fence for the
 * loose one.
 */

/** The reply without outer line breaks, and the content of its first code fence if it has one. */
export interface ReadBlock {
  readonly strict: string;
  readonly loose: string;
}

export function readBlock(reply: string): ReadBlock {
  const strict = reply.replace(/^\s{0,8}\n/, '').trimEnd();
  const start = strict.indexOf('\n', strict.indexOf('```'));
  const end = strict.indexOf('\n```', start);
  return { strict, loose: end < 0 ? strict : strict.slice(start + 1, end).trimEnd() };
}
