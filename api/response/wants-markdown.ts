/** Whether a request prefers Markdown, through `format=md` or by naming the type. `*` and `text/*` do not count. */
import { requestTargetOf } from '../request/request-head.ts';
import { weightsOf } from '../site/wants-html.ts';

export const markdownType = 'text/markdown; charset=utf-8';

/** `format` has been validated; it takes precedence over `Accept`. */
export function wantsMarkdown(request: Request): boolean {
  const { query } = requestTargetOf(request);
  const format = query.includes('format=') ? new URLSearchParams(query).get('format') : null;
  if (format !== null) return format === 'md';
  const accept = request.headers.get('accept');
  if (accept === null || !accept.includes('text/markdown')) return false;
  const weights = weightsOf(accept);
  const markdown = weights.get('text/markdown') ?? 0;
  // Clients that accept both get JSON, which has every field.
  return (
    markdown > 0 &&
    markdown >= (weights.get('text/html') ?? 0) &&
    markdown > (weights.get('application/json') ?? 0)
  );
}
