/** Shows the ends of a long text; questions tend to stand at the end, subjects at the beginning. */
export function shorten(text: string, head: number, tail: number): string {
  if (text.length <= head + tail) return text;
  const left = text.length - head - tail;
  return `${text.slice(0, head)}\n[… ${left} characters …]\n${text.slice(-tail)}`.toWellFormed();
}
