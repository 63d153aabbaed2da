/** Renders the content of a page to an HTML document. */
import { renderToString } from 'preact-render-to-string';
import { Layout } from './parts/layout.tsx';
import type { Shown } from './page.ts';
import { type View, ViewContext } from './view.ts';
import { visibleText } from './visible-text.ts';

export function renderPage(shown: Shown, view: View): string {
  const html = renderToString(
    <ViewContext.Provider value={view}>
      <Layout shown={shown}>{shown.body}</Layout>
    </ViewContext.Provider>,
  );
  return `<!doctype html>\n${visibleText(html)}\n`;
}
