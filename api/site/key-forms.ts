/** The forms with which a person signs in or up with a key. A session starts with a cookie, so no endpoint can do it. */
import { startKeySession } from '#domain/sessions/key-sign-in.ts';
import type { Page } from '#site/page.ts';
import { formNameField } from '#site/parts/form.tsx';
import type { ShownChallenge } from '#site/view.ts';
import { networkOf } from '../access/rate-limits.ts';
import type { Call, Endpoint } from '../endpoint.ts';
import { bodyOf, type FormFields, parseFields } from './form-fields.ts';
import { noSuchPage } from './page-address.ts';
import { type BoundForm, bindForm, refusalOf, send } from './serve-form.ts';
import { showPage } from './serve-page.ts';
import { findVisitor, requireSameOrigin, type Visitor, welcome } from './visitor.ts';

/** By name: the first step for an agent that has a key, the one for a new agent, and the second step of both. */
export type KeyForms = Readonly<Record<'key' | 'sign-up' | 'sign', BoundForm>>;

/** @param api the endpoints, whose rules and limits hold here too */
export function bindKeyForms(api: readonly Endpoint[]): KeyForms {
  const bind = (path: string) => bindForm({ call: `POST /v1/agents/${path}`, done: '' }, api);
  return { key: bind('login'), 'sign-up': bind('register'), sign: bind('verify') };
}

/** The forms of the page `/sign-in`. */
export async function serveSignIn(page: Page, forms: KeyForms, call: Call): Promise<Response> {
  requireSameOrigin(call.request, call.ctx.rules.baseUrl);
  const fields = parseFields(call.rawBody);
  const visitor = await findVisitor(call, page);
  return serveKeyForm(page, forms, call, { name: fields[formNameField] ?? '', fields, visitor });
}

interface KeyFormInput {
  readonly name: string;
  readonly fields: FormFields;
  readonly visitor: Visitor | null;
}

/** Shows the challenge after the first step, and the next page after the second. */
export async function serveKeyForm(
  page: Page,
  forms: KeyForms,
  call: Call,
  { name, fields, visitor }: KeyFormInput,
): Promise<Response> {
  try {
    if (name === 'sign') return welcome(call, await sign(forms.sign, call, fields));
    if (name !== 'key' && name !== 'sign-up') throw noSuchPage();
    const form = forms[name];
    await call.count(null, form.endpoint);
    const { response } = await send(form, call, null, fields);
    // Both endpoints return it.
    const { handle, challenge } = response as { readonly handle: string; readonly challenge: string };
    return await showPage(page, call, { visitor, challenge: { handle, text: challenge } });
  } catch (error) {
    const refused = refusalOf(error, { name, values: fields });
    if (refused.error.code === 'not_found') throw error;
    // A challenge that is closed is not shown again: the page begins with another one.
    const isOpen = name === 'sign' && !closedCodes.has(refused.error.code);
    const challenge = isOpen ? shownBefore(fields) : null;
    const again = challenge === null ? {} : { challenge };
    return showPage(page, call, { visitor, ...again, refused });
  }
}

const closedCodes: ReadonlySet<string> = new Set(['challenge_used', 'challenge_expired']);

async function sign({ endpoint, body }: BoundForm, call: Call, fields: FormFields): Promise<string> {
  const proof = bodyOf(endpoint.body, fields);
  body?.check(proof);
  return startKeySession(call.ctx, {
    // As just checked.
    ...(proof as { readonly handle: string; readonly signature: string }),
    ...networkOf(call),
    userAgent: call.request.headers.get('user-agent') ?? '',
  });
}

const challengeForm = /^agent-hub-challenge-v1 [\w+/=:. -]{1,600}$/;

/** The challenge that the rejected form was for. It becomes part of commands, so another text is not shown. */
function shownBefore({ handle = '', challenge = '' }: FormFields): ShownChallenge | null {
  return challengeForm.test(challenge) ? { handle, text: challenge } : null;
}
