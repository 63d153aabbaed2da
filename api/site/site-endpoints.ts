/** Mounts the site: its pages, their forms and the files that they load. They are not part of the API reference. */
import { Type } from 'typebox';
import { DomainError, errorCodes, invariant } from '#domain/errors.ts';
import type { Page } from '#site/page.ts';
import { authorizePath } from '#site/pages/authorize.tsx';
import { signIn as signInPage, signInPath } from '#site/pages/sign-in.tsx';
import type { SiteDocument } from '#site/document.ts';
import * as documents from '#site/documents/feeds.ts';
import { sitemapDocuments, sitemapIndex } from '#site/documents/sitemaps.ts';
import * as pages from '#site/pages.ts';
import { siteFiles } from '#site/site-files.ts';
import { skillPage } from '../discovery/skill-page.ts';
import { type Call, type Endpoint, endpoint, type ResponseDeclarations } from '../endpoint.ts';
import { errorTable } from '../errors/error-table.ts';
import { object } from '../schemas/object.ts';
import { markdownType, wantsMarkdown } from '../response/wants-markdown.ts';
import { authorizationEndpoint, serveConsent } from './authorize.ts';
import { bindKeyForms, type KeyForms, serveSignIn } from './key-forms.ts';
import { compressed, pageVary, rendered } from './html-response.ts';
import { serveDocument } from './serve-document.ts';
import { bindForm, serveForm } from './serve-form.ts';
import { signIn } from './visitor.ts';
import { servePage } from './serve-page.ts';

/** Forms percent-encode text, with up to twelve bytes for a character. */
const formMaxBytes = 256 * 1024;

const statuses = new Set([200, 303, 304, ...Object.values(errorTable).map(({ status }) => status)]);
const responses: ResponseDeclarations = Object.fromEntries(
  [...statuses].map((status) => [status, { description: 'A page.', contentType: 'text/html' }]),
);

/** @param api the endpoints that forms may call */
export function siteEndpoints(api: readonly Endpoint[]): readonly Endpoint[] {
  const all: readonly Page[] = Object.values(pages);
  const doneTexts = new Map<string, string>();
  for (const [name, { done }] of all.flatMap(({ forms }) => Object.entries(forms))) {
    const known = doneTexts.get(name) ?? done;
    invariant(known === done, `Forms with the name ${name} have the same message.`);
    doneTexts.set(name, done);
  }
  return [
    ...all.flatMap((page) => mount(page, api, doneTexts)),
    authorizationEndpoint(responses),
    ...mountDocuments(),
    files,
  ];
}

function mount(page: Page, api: readonly Endpoint[], doneTexts: ReadonlyMap<string, string>): Endpoint[] {
  const common = {
    path: page.path,
    summary: 'Open a page of the site',
    tag: 'service',
    auth: 'none',
    responses,
    errors: errorCodes,
    hidden: true,
    ...paramsOf(page.path),
  } as const;
  const feed = allDocuments.find(({ path }) => path === page.path + feedExtension);
  const get = endpoint({
    ...common,
    method: 'GET',
    searches: Object.values(page.query).includes('search'),
    handle: (call) => {
      if (page.path === '/') return serveHome(page, call, doneTexts);
      const params = feed === undefined ? null : withoutExtension(call.params);
      return feed === undefined || params === null
        ? servePage(page, call, doneTexts)
        : serveDocument(feed, call, params);
    },
  });
  const forms = new Map(Object.entries(page.forms).map(([name, rule]) => [name, bindForm(rule, api)]));
  if (page.path === signInPath) return [get, signInForm(common)];
  if (page.path === signInPage.path) return [get, keySignIn(page, bindKeyForms(api), common)];
  if (page.path === authorizePath) return [get, consentForms(page, bindKeyForms(api), common)];
  if (forms.size === 0) return [get];
  const post = endpoint({
    ...common,
    method: 'POST',
    bodyFormat: 'form',
    bodyMaxBytes: formMaxBytes,
    handle: (call) => serveForm(page, forms, call),
  });
  return [get, post];
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

function mountDocuments(): Endpoint[] {
  return allDocuments
    .filter(({ path }) => !path.includes(':'))
    .map((document) =>
      endpoint({
        method: 'GET',
        path: document.path,
        summary: 'Get a document of the site',
        tag: 'service',
        auth: 'none',
        responses,
        errors: errorCodes,
        hidden: true,
        handle: (call) => serveDocument(document, call, {}),
      }),
    );
}

/** A session starts with a cookie, so no endpoint of the API can do this. */
function signInForm(common: Pick<Endpoint, 'summary' | 'tag' | 'responses'>): Endpoint {
  return endpoint({
    ...common,
    method: 'POST',
    path: signInPath,
    auth: 'none',
    params: object({ secret: Type.String() }),
    errors: errorCodes,
    hidden: true,
    bodyFormat: 'form',
    handle: (call) => signIn(call, call.params.secret),
  });
}

/** The forms of a key file, without a link. */
function keySignIn(
  page: Page,
  forms: KeyForms,
  common: Pick<Endpoint, 'summary' | 'tag' | 'responses'>,
): Endpoint {
  return endpoint({
    ...common,
    method: 'POST',
    path: page.path,
    auth: 'none',
    errors: errorCodes,
    hidden: true,
    bodyFormat: 'form',
    handle: (call) => serveSignIn(page, forms, call),
  });
}

/** Consent leads away from the hub, so no endpoint of the API can do this. */
function consentForms(
  page: Page,
  forms: KeyForms,
  common: Pick<Endpoint, 'summary' | 'tag' | 'responses'>,
): Endpoint {
  return endpoint({
    ...common,
    method: 'POST',
    path: authorizePath,
    auth: 'none',
    params: object({ secret: Type.String() }),
    errors: errorCodes,
    hidden: true,
    bodyFormat: 'form',
    handle: (call) => serveConsent(page, forms, call, call.params.secret),
  });
}

function paramsOf(path: string) {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name ?? '');
  if (names.length === 0) return {};
  return { params: object(Object.fromEntries(names.map((name) => [name, Type.String()]))) };
}

/** The name of a file changes with its content. */
const fileCacheControl = 'public, max-age=31536000, immutable';

const filesByPath = new Map(
  Object.values(siteFiles).map((file) => [
    file.path,
    { ...file, text: rendered(new TextDecoder().decode(file.content)) },
  ]),
);

const files = endpoint({
  method: 'GET',
  path: '/site/:file',
  summary: 'Get a file of the site',
  tag: 'service',
  auth: 'none',
  params: object({ file: Type.String() }),
  responses: { 200: { description: 'The file.', contentType: '*/*' } },
  errors: ['not_found'],
  rateLimit: 'none',
  hidden: true,
  handle: ({ params, request }) => {
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
});
