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

/** A document that is a page for people and Markdown for models. `format` takes precedence over `Accept`. */
export function pageOrMarkdown(
  {
    request,
    query: { format },
  }: { readonly request: Request; readonly query: { readonly format?: string | undefined } },
  forms: { readonly html: () => string; readonly markdown: () => string },
): Response {
  const response = (format === undefined ? wantsMarkdown(request) : format === 'md')
    ? new Response(forms.markdown(), { headers: { 'content-type': markdownType } })
    : styledPage(forms.html());
  response.headers.set('vary', 'Accept');
  return response;
}

const stylePattern = /<style>([\s\S]*?)<\/style>/g;

/** A page without scripts. Its Content-Security-Policy allows its own `<style>` elements and nothing else. */
function styledPage(html: string): Response {
  const hashes = [...html.matchAll(stylePattern)].map(
    ([, style]) => `'sha256-${Bun.SHA256.hash(style ?? '', 'base64')}'`,
  );
  const policy = [
    "default-src 'none'",
    `style-src ${hashes.length === 0 ? "'none'" : hashes.join(' ')}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    'sandbox',
  ].join('; ');
  return new Response(html, {
    headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy },
  });
}
