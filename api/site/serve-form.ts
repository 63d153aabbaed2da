/**
 * Serves a form: calls the API endpoint that the form names, as the visitor. A form can therefore do nothing that the
 * API cannot do.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { DomainError, invariant } from '#domain/errors.ts';
import { documentField, formAgentField, formKeyField, formNameField } from '#site/parts/form.tsx';
import { addressOf } from '#site/parts/lists.tsx';
import { refusedFormPage } from '#site/plain-pages.tsx';
import type { FormRule, Page } from '#site/page.ts';
import type { RefusedForm } from '#site/view.ts';
import { isMaintainer } from '#domain/agents/maintainers.ts';
import type { Call, Endpoint } from '../endpoint.ts';
import { errorTable } from '../errors/error-table.ts';
import { createValidator, keyForm, requestTargetOf, type Validator } from '../request/input.ts';
import { bodyOf, type FormFields, parseFields } from './form-fields.ts';
import { textsOnPage } from './failure-response.ts';
import { noSuchPage, readPageAddress } from './page-address.ts';
import {
  doneParameter,
  findVisitor,
  mayOpen,
  redirect,
  requireSameOrigin,
  requireSameSession,
  signInFirst,
  type Visitor,
} from './visitor.ts';
import { type Refusal, showPage } from './serve-page.ts';

/** A form with the endpoint that it calls. */
export interface BoundForm {
  readonly rule: FormRule;
  readonly endpoint: Endpoint;
  readonly params: Validator | null;
  readonly body: Validator | null;
}

export function bindForm(rule: FormRule, endpoints: readonly Endpoint[]): BoundForm {
  const endpoint = endpoints.find(({ method, path }) => `${method} ${path}` === rule.call);
  invariant(endpoint !== undefined, `A form calls ${rule.call}, which the API has.`);
  const { params, body } = endpoint;
  return {
    rule,
    endpoint,
    params: params === undefined ? null : createValidator(params, 'invalid_parameter', 'The path'),
    body: body === undefined ? null : createValidator(body, 'invalid_body', 'The form'),
  };
}

export async function serveForm(
  page: Page,
  forms: ReadonlyMap<string, BoundForm>,
  call: Call,
): Promise<Response> {
  requireSameOrigin(call.request, call.ctx.rules.baseUrl);
  const visitor = await findVisitor(call, page);
  const isOpen = mayOpen(page, visitor);
  const fields = parseFields(call.rawBody);
  // A form from the page of a session that has ended is refused below, with what was typed.
  const isStrangers = visitor === null && fields[formAgentField] === undefined;
  if (isStrangers && !isOpen) return signInFirst(call);
  const [only] = forms.size === 1 ? forms.keys() : [];
  const name = fields[formNameField] ?? only ?? '';
  const form = forms.get(name);
  if (form === undefined) throw noSuchPage();
  if (isStrangers && form.endpoint.auth !== 'none') return signInFirst(call);
  try {
    // An agent's limits apply to forms too, from whatever network.
    if (visitor !== null) await call.count(visitor.ctx.agent.id);
    // An endpoint with a lower limit, such as the export, keeps it.
    if (form.endpoint.rateLimit !== undefined) {
      const isAgents = visitor !== null && form.endpoint.auth !== 'none';
      await call.count(isAgents ? visitor.ctx.agent.id : null, form.endpoint);
    }
    requireSameSession(fields, visitor);
    const { own, response } = await send(form, call, visitor, fields);
    // A document to download.
    if (response instanceof Response) return response;
    if (form.rule.answers === true)
      return showPage(page, call, { visitor, answered: { name, values: fields, body: response } });
    // The rule names fields that the endpoint returns.
    const body = response as never;
    if (form.rule.reveal !== undefined)
      return showPage(page, call, { visitor, done: form.rule.reveal(body) });
    const next = form.rule.next?.(body, own, fields) ?? samePage(page, call);
    return redirect(withDone(next, name));
  } catch (error) {
    const response = await showRefused(page, call, visitor, refusalOf(error, { name, values: fields }));
    const isEnded = visitor === null && !isStrangers;
    for (const cookie of isEnded ? signInFirst(call).headers.getSetCookie() : [])
      response.headers.append('set-cookie', cookie);
    return response;
  }
}

/** Shows the page again or, if it is closed or gone or the visitor asks too often, one that loads nothing. */
async function showRefused(page: Page, call: Call, visitor: Visitor | null, refused: Refusal) {
  if (mayOpen(page, visitor) && refused.error.code !== 'rate_limited') {
    try {
      return await showPage(page, call, { visitor, refused });
    } catch (error) {
      if (!isRefusal(error)) throw error;
    }
  }
  try {
    return await showPage(refusedFormPage, call, { visitor, refused });
  } catch (error) {
    // Even this page waits for a turn, which those who ask too often do not get.
    throw error instanceof DomainError && error.code === 'busy' ? refused.error : error;
  }
}

/** Whether the caller would have to send something else. */
function isRefusal(error: unknown): error is DomainError {
  return error instanceof DomainError && errorTable[error.code].status < 500;
}

/**
 * What the page says of a form that the API has refused.
 * @throws `error` if no other form would have been accepted
 */
export function refusalOf(error: unknown, form: Pick<RefusedForm, 'name' | 'values'>): Refusal {
  if (!isRefusal(error)) throw error;
  return { form: { ...form, ...textsOnPage(error), fields: error.extras.fields ?? {} }, error };
}

/** @returns the body of the API's response, and the parameters of the page */
export async function send(
  { rule, endpoint, params, body }: BoundForm,
  call: Call,
  visitor: Visitor | null,
  fields: FormFields,
): Promise<{ readonly response: unknown; readonly own: Readonly<Record<string, string>> }> {
  // The pipeline passes the parameters of the path as texts.
  const own = call.params as Readonly<Record<string, string>>;
  if (endpoint.auth === 'maintainer' && (visitor === null || !isMaintainer(visitor.ctx))) throw noSuchPage();
  const inPath = Object.keys(endpoint.params?.properties ?? {}).map(
    (name) => [name, own[rule.params?.[name] ?? name] ?? fields[name] ?? ''] as const,
  );
  const pathParameters = Object.fromEntries(inPath);
  params?.check(pathParameters);
  const read = bodyOf(endpoint.body, fields);
  body?.check(read);
  const ctx = visitor === null ? call.ctx : { ...visitor.ctx, cause: call.ctx.cause };
  // The form of a document has the whole of it in one field.
  const rawBody = new TextEncoder().encode(fields[documentField] ?? '');
  const given = { params: pathParameters, query: {}, body: read, rawBody };
  const sentKey = fields[formKeyField] ?? '';
  const key = keyForm.test(sentKey) ? sentKey : null;
  const result = await whenIdle(call, () => call.run(endpoint, given, { ctx, key }));
  return { response: result instanceof Response ? result : result.body, own };
}

const pauseMs = 200;
const pausesMax = 50;

/** After a second click, browsers show only the second response, so it waits for the first one. */
async function whenIdle<Result>(call: Call, run: () => Promise<Result>): Promise<Result> {
  for (let pauses = 0; ; pauses += 1) {
    try {
      return await run();
    } catch (error) {
      const isRunning = error instanceof DomainError && error.code === 'request_in_progress';
      if (!isRunning || pauses === pausesMax || call.signal().aborted) throw error;
    }
    await pause(pauseMs);
  }
}

/** The address of the page on which the form stands, with its filter, search and place in a list. */
function samePage(page: Page, { request, params }: Call): string {
  const { query } = readPageAddress(page, request, params);
  return addressOf(requestTargetOf(request).path, query);
}

function withDone(path: string, name: string): string {
  const [address = '', fragment] = path.split('#');
  const mark = address.includes('?') ? '&' : '?';
  return `${address}${mark}${doneParameter}=${encodeURIComponent(name)}${fragment === undefined ? '' : `#${fragment}`}`;
}
