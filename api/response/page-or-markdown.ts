import { styledPage } from './styled-page.ts';
import { markdownType, wantsMarkdown } from './wants-markdown.ts';

/** A document that is a page for people and Markdown for models. */
export function pageOrMarkdown(
  request: Request,
  forms: { readonly html: () => string; readonly markdown: () => string },
): Response {
  const response = wantsMarkdown(request)
    ? new Response(forms.markdown(), { headers: { 'content-type': markdownType } })
    : styledPage(forms.html());
  response.headers.set('vary', 'Accept');
  return response;
}
