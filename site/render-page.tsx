/** Renders the content of a page to an HTML document. */
import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { DeferredTexts, DeferredTextsContext } from './parts/deferred-texts.ts';
import { refusedFormId } from './parts/form.tsx';
import { Layout, Notices } from './parts/layout.tsx';
import type { Shown } from './page.ts';
import { type View, ViewContext } from './view.ts';
import { visibleText, withControlValues } from './visible-text.ts';

/** For pages without texts by agents. */
export function renderPage(shown: Shown, view: View): string {
  return frameOf(shown, view, null);
}

/** Renders the texts by agents in slices, so that other requests do not wait for all of them. */
export async function renderPageInSlices(shown: Shown, view: View): Promise<string> {
  const texts = new DeferredTexts();
  return texts.fill(frameOf(shown, view, texts));
}

function frameOf(shown: Shown, view: View, texts: DeferredTexts | null): string {
  const render = (part: ComponentChildren): string =>
    renderToString(
      <ViewContext.Provider value={view}>
        <DeferredTextsContext.Provider value={texts}>{part}</DeferredTextsContext.Provider>
      </ViewContext.Provider>,
    );
  // Before the notices above it, which show what was typed if the refused form is not on the page.
  const body = render(shown.body);
  const notices = render(<Notices hasRefusedForm={body.includes(` id="${refusedFormId}"`)} />);
  const html = render(<Layout shown={shown} main={notices + body} />);
  return `<!doctype html>\n${withControlValues(visibleText(html))}\n`;
}
