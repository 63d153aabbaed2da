/** Serves a page: reads its address, loads it with the verbs of the domain, and shows it. */
import type { DomainError } from '#domain/errors.ts';
import { takeTurn } from '#runtime/loop-turns.ts';
import type { Claimant } from '#runtime/turns/turns.ts';
import type { ContentCtx, Page, PageAddress } from '#site/page.ts';
import { renderPageInSlices } from '#site/render-page.tsx';
import type { AnsweredForm, RefusedForm, ShownChallenge } from '#site/view.ts';
import { claimantOfCaller } from '../access/read-turns.ts';
import type { Call } from '../endpoint.ts';
import { errorTable } from '../errors/error-table.ts';
import { requestTargetOf } from '../request/input.ts';
import { retryAfterOf } from '../response/responses.ts';
import { htmlResponse, pagePolicy, rendered } from './html-response.ts';
import { viewOf } from './page-view.ts';
import type { MadePage } from './cached-pages.ts';
import { addressMeant, readPageAddress } from './page-address.ts';
import { doneParameter, findVisitor, mayOpen, redirect, signInFirst, type Visitor } from './visitor.ts';

export async function servePage(page: Page, call: Call, formsOf: DoneTexts): Promise<Response> {
  const meant = addressMeant(page, call);
  if (meant !== null) {
    const { query } = requestTargetOf(call.request);
    return redirect(query === '' ? meant : `${meant}?${query}`);
  }
  // Even a page that is known takes a hundred times as long as a small response, most of it to write.
  await takeTurn();
  const visitor = await findVisitor(call, page);
  if (!mayOpen(page, visitor)) return signInFirst(call);
  return showPage(page, call, { visitor, done: doneText(call.request, formsOf) });
}

/** The message of each form after success, by name. */
export type DoneTexts = ReadonlyMap<string, string>;

/** A form that the API has refused. */
export interface Refusal {
  readonly form: RefusedForm;
  readonly error: DomainError;
}

interface ShowOptions {
  readonly visitor: Visitor | null;
  readonly done?: string | null;
  readonly challenge?: ShownChallenge;
  readonly refused?: Refusal;
  readonly answered?: AnsweredForm;
}

export async function showPage(page: Page, call: Call, options: ShowOptions): Promise<Response> {
  const { request } = call;
  const { visitor, challenge, refused, answered } = options;
  const address = readPageAddress(page, request, call.params);
  const make = () => makePage(page, call, address, options);
  const isPlain = challenge === undefined && refused === undefined && answered === undefined;
  const { content, isPrivate, redirectsTo } =
    visitor === null && isPlain
      ? await makeForAll(page, call, address, options.done ?? '', make)
      : await call.deps.pages.make(make, readerOf(call, visitor));
  const status = refused === undefined ? 200 : errorTable[refused.error.code].status;
  const response = htmlResponse(request, content, {
    status,
    isPrivate: isPrivate || status !== 200,
    ...(redirectsTo === undefined ? {} : { headers: { 'content-security-policy': policyWith(redirectsTo) } }),
  });
  const retryAfter = refused === undefined ? undefined : retryAfterOf(refused.error);
  if (retryAfter !== undefined) response.headers.set('retry-after', String(retryAfter));
  return response;
}

/** A form may lead there: Chromium applies `form-action` to redirects too. */
function policyWith(redirectsTo: string): string {
  return pagePolicy({ 'form-action': `'self' ${redirectsTo}` });
}

/** The page for visitors without a session, from a cache if it is there. */
async function makeForAll(
  page: Page,
  call: Call,
  address: PageAddress,
  done: string,
  make: () => Promise<MadePage>,
): Promise<MadePage> {
  const { deps } = call;
  const place = `${placeOf(call, address)} ${done}`;
  if (page.version === null) return deps.pages.get(place, make, readerOf(call, null));
  const version = await page.version(readingOf(call, null, address), address);
  return deps.pages.keep(`${place} ${version}`, make, readerOf(call, null));
}

function placeOf({ ctx, request }: Call, { query }: PageAddress): string {
  return `${ctx.rules.baseUrl}${requestTargetOf(request).path} ${JSON.stringify(query)}`;
}

export function readerOf(call: Call, visitor: Visitor | null): () => Claimant {
  return () => claimantOfCaller(call.deps.secretKey, call.clientAddress(), visitor?.ctx.agent ?? null);
}

function readingOf(call: Call, visitor: Visitor | null, address: PageAddress): ContentCtx {
  const { ctx, deps } = call;
  return {
    ...(visitor?.ctx ?? ctx),
    viewer: visitor?.viewer ?? null,
    reader: visitor?.ctx.agent ?? null,
    logger: deps.logger,
    secretKey: deps.secretKey,
    readForAll: (read) => deps.pages.readForAll(placeOf(call, address), () => read(ctx)),
  };
}

/** @returns what depends on the address and the options only */
async function makePage(
  page: Page,
  call: Call,
  address: PageAddress,
  { visitor, done = null, challenge, refused, answered }: ShowOptions,
): Promise<MadePage> {
  const { deps, request } = call;
  const shown = page.show(await page.load(readingOf(call, visitor, address), address));
  const html = await renderPageInSlices(shown, {
    ...viewOf(deps, request, visitor?.viewer ?? null),
    query: address.query,
    done,
    challenge: challenge ?? null,
    refused: refused?.form ?? null,
    answered: answered ?? null,
  });
  return {
    content: rendered(html),
    isPrivate: visitor !== null || shown.noIndex === true,
    ...(shown.redirectsTo === undefined ? {} : { redirectsTo: shown.redirectsTo }),
  };
}

/** Shows only the site's own texts, because anybody can write a link with this parameter. */
function doneText(request: Request, texts: DoneTexts): string | null {
  const name = new URLSearchParams(requestTargetOf(request).query).get(doneParameter);
  return name === null ? null : (texts.get(name) ?? null);
}
