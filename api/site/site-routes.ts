/** Mounts the site: its pages, their forms and the files that they load. They are not part of the API reference. */
import { type AnyElysia, Elysia } from 'elysia';
import { Type } from 'typebox';
import { DomainError, invariant } from '#domain/errors.ts';
import { showImage } from '#domain/suites/suite-images.ts';
import type { Page, SiteDocument } from '#site/page.ts';
import { authorizePath } from '#site/pages/authorize.tsx';
import { editedFormBytesMax } from '#site/pages/suite-editor.tsx';
import { signIn as signInPage, signInPath } from '#site/pages/sign-in.tsx';
import * as documents from '#site/documents/feeds.ts';
import { sitemapDocuments, sitemapIndex } from '#site/documents/sitemaps.ts';
import * as pages from '#site/pages.ts';
import { siteFiles } from '#site/site-files.ts';
import { skillPage } from '../discovery/skill-page.ts';
import { imageResponse } from '../suites/image-response.ts';
import { suiteImageKey, suiteKeyOf } from '../suites/model.ts';
import type { Call, Endpoint } from '../endpoint.ts';
import { edge, fields, input, replies, textsIn } from '../plugins/edge.ts';
import { defaultBodyMaxBytes } from '../request/body.ts';
import { markdownType, wantsMarkdown } from '../response/negotiation.ts';
import { authorizationRoutes, serveConsent } from './authorize.ts';
import { bindKeyForms, serveSignIn } from './key-forms.ts';
import { compressed, pageVary, rendered } from './html-response.ts';
import { pageOptions } from './page-options.ts';
import { serveDocument } from './serve-document.ts';
import { bindForm, serveForm } from './serve-form.ts';
import { findVisitor, signIn } from './visitor.ts';
import { servePage } from './serve-page.ts';

/** Forms percent-encode text, with up to twelve bytes for a character. */
const formMaxBytes = 256 * 1024;
/** With room to type in addition to what the editor opens. */
const documentFormMaxBytes = editedFormBytesMax + formMaxBytes;

/** A new object each time: Elysia adds to it. */
const newDetail = () => ({ summary: 'Open a page of the site' });

/** @param api the operations that forms may call */
export function siteRoutes(api: readonly Endpoint[]): AnyElysia {
  const all: readonly Page[] = Object.values(pages);
  const doneTexts = new Map<string, string>();
  for (const [name, { done }] of all.flatMap(({ forms }) => Object.entries(forms))) {
    const known = doneTexts.get(name) ?? done;
    invariant(known === done, `Forms with the name ${name} have the same message.`);
    doneTexts.set(name, done);
  }
  return new Elysia({ tags: ['service'] })
    .use(all.map((page) => mount(page, doneTexts)))
    .use(all.flatMap((page) => mountForms(page, api)))
    .use(authorizationRoutes)
    .use(mountDocuments())
    .use(suiteImages)
    .use(files);
}

function mount(page: Page, doneTexts: ReadonlyMap<string, string>) {
  const feed = allDocuments.find(({ path }) => path === page.path + feedExtension);
  return new Elysia().use(edge).get(
    page.path,
    ({ call }) => {
      if (page.path === '/') return serveHome(page, call, doneTexts);
      const params = feed === undefined ? null : withoutExtension(call.params);
      return feed === undefined || params === null
        ? servePage(page, call, doneTexts)
        : serveDocument(feed, call, params);
    },
    {
      ...pageOptions,
      ...textsIn(page.path),
      searches: Object.values(page.query).includes('search'),
      detail: newDetail(),
    },
  );
}

/** A session starts with a cookie, and consent leads away from the hub, so no operation of the API can do these. */
function mountForms(page: Page, api: readonly Endpoint[]) {
  const post = (serve: (call: Call) => Promise<Response>, bodyMaxBytes = defaultBodyMaxBytes) =>
    new Elysia().use(edge).post(page.path, ({ call }) => serve(call), {
      ...pageOptions,
      ...textsIn(page.path),
      bodyFormat: 'form',
      bodyMaxBytes,
      detail: newDetail(),
    });
  if (page.path === signInPath) return [post((call) => signIn(call, secretIn(call)))];
  if (page.path === signInPage.path) {
    const forms = bindKeyForms(api);
    return [post((call) => serveSignIn(page, forms, call))];
  }
  if (page.path === authorizePath) {
    const forms = bindKeyForms(api);
    return [post((call) => serveConsent(page, forms, call, secretIn(call)))];
  }
  const forms = new Map(Object.entries(page.forms).map(([name, rule]) => [name, bindForm(rule, api)]));
  const hasDocument = [...forms.values()].some(({ endpoint }) => endpoint.bodyFormat === 'document');
  const maxBytes = hasDocument ? documentFormMaxBytes : formMaxBytes;
  return forms.size === 0 ? [] : [post((call) => serveForm(page, forms, call), maxBytes)];
}

function secretIn({ params }: Call): string {
  return (params as Readonly<Record<string, string>>)['secret'] ?? '';
}

/** Programs that fetch pages for models ask for Markdown, and get the guide for agents. */
async function serveHome(page: Page, call: Call, doneTexts: ReadonlyMap<string, string>): Promise<Response> {
  if (!wantsMarkdown(call.request)) {
    const response = await servePage(page, call, doneTexts);
    response.headers.set('link', '</skill.md>; rel="alternate"; type="text/markdown"');
    return response;
  }
  const headers = new Headers({ 'content-type': markdownType, 'cache-control': 'no-cache', vary: pageVary });
  return compressed(call.request, rendered(skillPage(call.ctx.rules.baseUrl)), 200, headers);
}

const feedExtension = '.atom';
const allDocuments: readonly SiteDocument[] = [
  ...Object.values(documents),
  sitemapIndex,
  ...sitemapDocuments,
];

/** The router has no parameters with an extension, so the feed of a page is served at the page's route. */
function withoutExtension(params: Readonly<Record<string, string>>): Readonly<Record<string, string>> | null {
  const [only] = Object.entries(params);
  if (only === undefined || !only[1].endsWith(feedExtension)) return null;
  return { [only[0]]: only[1].slice(0, -feedExtension.length) };
}

function mountDocuments() {
  return allDocuments
    .filter(({ path }) => !path.includes(':'))
    .map((document) =>
      new Elysia().use(edge).get(document.path, ({ call }) => serveDocument(document, call, {}), {
        ...pageOptions,
        detail: { summary: 'Get a document of the site' },
      }),
    );
}

/** For those who may read the cases of the suite, as the page of the suite shows them. */
const suiteImages = new Elysia().use(edge).get(
  '/suites/:owner/:name/images/:sha256',
  async ({ call, params: { sha256, ...key } }) => {
    const visitor = await findVisitor(call, pages.suite);
    const viewer = visitor?.ctx.agent ?? null;
    return imageResponse(await showImage(call.ctx, { ...suiteKeyOf(key), sha256, viewer }));
  },
  {
    anyone: true,
    params: input(suiteImageKey),
    response: replies({ 200: { description: 'The image.', contentType: 'image/png' } }),
    errors: ['not_found', 'content_hidden'],
    hidden: true,
    detail: { summary: 'Get an image that the page of a suite shows' },
  },
);

/** The name of a file changes with its content. */
const fileCacheControl = 'public, max-age=31536000, immutable';

const filesByPath = new Map(
  Object.values(siteFiles).map((file) => [
    file.path,
    { ...file, text: rendered(new TextDecoder().decode(file.content)) },
  ]),
);

const files = new Elysia().use(edge).get(
  '/site/:file',
  ({ params, request }) => {
    const file = filesByPath.get(`/site/${params.file}`);
    if (file === undefined) throw new DomainError('not_found', 'The site has no such file.');
    const headers = new Headers({
      'content-type': file.type,
      'cache-control': fileCacheControl,
      vary: 'Accept-Encoding',
    });
    if (file.type === 'image/png') return new Response(file.content, { headers });
    return compressed(request, file.text, 200, headers);
  },
  {
    anyone: true,
    params: fields({ file: Type.String() }),
    response: replies({ 200: { description: 'The file.', contentType: '*/*' } }),
    errors: ['not_found'],
    limit: 'none',
    hidden: true,
    detail: { summary: 'Get a file of the site' },
  },
);
