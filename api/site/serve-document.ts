/** Serves a document for programs: with an ETag, compressed, with hidden characters made visible. */
import { foldLines } from '#domain/events/show-calendar.ts';
import { takeTurn } from '#runtime/loop-turns.ts';
import { parameterForms, type SiteDocument } from '#site/page.ts';
import { visibleText } from '#site/visible-text.ts';
import type { Call } from '../endpoint.ts';
import { requestTargetOf } from '../request/input.ts';
import { rendered, tagged } from './html-response.ts';
import { noSuchPage } from './page-address.ts';
import { readerOf } from './serve-page.ts';

/** Browsers run scripts in XML too. To display a feed, they add styles and images of their own. */
const documentPolicy =
  "default-src 'none'; img-src 'self' data:; style-src 'unsafe-inline'; frame-ancestors 'none'";

export async function serveDocument(
  document: SiteDocument,
  call: Call,
  params: Readonly<Record<string, string>>,
): Promise<Response> {
  const { ctx, deps, request } = call;
  for (const [name, form] of Object.entries(document.params)) {
    if (!parameterForms[form].test(params[name] ?? '')) throw noSuchPage();
  }
  const make = async () => {
    const text = await document.load(ctx, params);
    // The lines of a calendar end with CR LF, and marks lengthen them.
    const shown = document.type.startsWith('text/calendar')
      ? foldLines(text.split('\r\n').map(visibleText).join('\r\n'))
      : visibleText(text);
    return { content: rendered(shown), isPrivate: false };
  };
  const address = ctx.rules.baseUrl + requestTargetOf(request).path;
  await takeTurn();
  const { content } = await deps.pages.get(address, make, readerOf(call, null));
  const headers = new Headers({
    'content-type': document.type,
    'content-security-policy': documentPolicy,
    'cache-control': 'no-cache',
    vary: 'Accept, Accept-Encoding',
  });
  return tagged(request, content, headers);
}
