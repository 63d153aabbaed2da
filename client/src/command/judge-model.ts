/** A model that judges, called over HTTP. What it is asked comes from the hub. */
import { pause } from '../send.ts';
import { reasonOf } from './connection.ts';
import { type Environment, type Options, readHeaders } from './options.ts';
import { redactor } from './printed.ts';
import { ProgramFault, ProgramGone } from './program-texts.ts';

interface JudgeMessage {
  readonly role: string;
  readonly content: string;
}

interface Protocol {
  /** How the path of its URL ends. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: (model: string, messages: readonly JudgeMessage[]) => object;
  /** The texts of a response; anything else is left out. */
  readonly read: (response: unknown) => readonly unknown[];
}

const protocols: Readonly<Record<NonNullable<Options['judge-protocol']>, Protocol>> = {
  'openai-chat': {
    path: '/chat/completions',
    body: (model, messages) => ({ model, messages }),
    read: (response) => [at(at(listIn(at(response, 'choices'))[0], 'message'), 'content')],
  },
  'openai-responses': {
    path: '/responses',
    body: (model, messages) => ({ model, input: messages }),
    read: (response) =>
      listIn(at(response, 'output'))
        .flatMap((item) => listIn(at(item, 'content')))
        .map((part) => at(part, 'text')),
  },
  'anthropic-messages': {
    path: '/messages',
    headers: { 'anthropic-version': '2023-06-01' },
    body: (model, messages) => ({
      model,
      max_tokens: 8_192,
      system: textsOf(messages.filter(({ role }) => role === 'system')),
      messages: messages.filter(({ role }) => role !== 'system'),
    }),
    read: (response) => listIn(at(response, 'content')).map((part) => at(part, 'text')),
  },
};

const textsOf = (messages: readonly JudgeMessage[]) => messages.map(({ content }) => content).join('\n\n');

function at(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

const headersVariable = 'JUDGE_HEADERS';
const triesMax = 5;
const firstPauseMs = 1_000;
const retryAfterMaxMs = 60_000;
const complaintCharacters = 200;

interface ModelCall {
  readonly seconds: number;
  readonly signal: AbortSignal;
  /** Called with the reason before each retry. */
  readonly onWait: (reason: { readonly message: string }) => void;
}

/** @throws ProgramFault if it does not judge this reply; ProgramGone if it judges no other either */
export type AskModel = (messages: readonly JudgeMessage[]) => Promise<string>;

/**
 * Asks a model again if it is busy or its connection breaks.
 * @throws UsageFault
 */
export function judgeModel(
  target: string,
  { 'judge-model': model = '', 'judge-protocol': name }: Options,
  environment: Environment,
  { seconds, signal, onWait }: ModelCall,
): AskModel {
  const { path, headers, body, read } = protocols[name ?? 'openai-chat'];
  const secret = Object.fromEntries(readHeaders(headersVariable, environment));
  const redact = redactor(
    Object.fromEntries(Object.values(secret).map((value, n) => [`KEY_${n}`, value.split(' ').at(-1)])),
  );
  const url = addressOf(target, path);
  return async (messages) => {
    const request = {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json', ...headers, ...secret },
      body: JSON.stringify(body(model, messages)),
      redirect: 'manual',
    } as const;
    for (let tries = 1; ; tries += 1) {
      const slow = AbortSignal.timeout(seconds * 1_000);
      const outcome = await fetch(url, { ...request, signal: AbortSignal.any([signal, slow]) })
        .then(async (response) => ({ response, text: await response.text() }))
        .catch((error: unknown) => {
          signal.throwIfAborted();
          if (slow.aborted) throw new ProgramFault(`The judge took longer than ${seconds} s (--timeout).`);
          return error instanceof Error ? reasonOf(error) : String(error);
        });
      const isAnswer = typeof outcome !== 'string';
      if (isAnswer && outcome.response.ok) return saidIn(read(parsed(outcome.text)));
      const status = isAnswer ? outcome.response.status : null;
      const why = isAnswer
        ? `The judge responded with status ${status}: ${redact(outcome.text).trim().slice(0, complaintCharacters) || 'no text'}`
        : `The judge at ${new URL(url).host} does not respond: ${redact(outcome)}`;
      if (!mayRetry(status)) throw new (isOfOneReply(status) ? ProgramFault : ProgramGone)(why);
      if (tries === triesMax) throw new ProgramGone(why);
      onWait({ message: why });
      await pause(pauseMs(isAnswer ? outcome.response.headers.get('retry-after') : null, tries), signal);
    }
  };
}

/** A model is given by its base, as SDKs take it, or in full. */
function addressOf(target: string, end: string): string {
  const url = new URL(target);
  const path = url.pathname.replace(/(?<!\/)\/+$/, '');
  if (!path.endsWith(end)) url.pathname = `${path === '' ? '/v1' : path}${end}`;
  return url.href;
}

function mayRetry(status: number | null): boolean {
  return status === null || status === 408 || status === 429 || status >= 500;
}

/** What the model refuses about a request; anything else, such as a wrong key, is wrong with all of them. */
function isOfOneReply(status: number | null): boolean {
  return status === 400 || status === 413 || status === 422;
}

function pauseMs(retryAfter: string | null, tries: number): number {
  const asked = Number(retryAfter ?? Number.NaN) * 1_000;
  return asked >= 0 ? Math.min(asked, retryAfterMaxMs) : firstPauseMs * 2 ** (tries - 1);
}

function saidIn(texts: readonly unknown[]): string {
  const text = texts.filter((one) => typeof one === 'string').join('');
  if (text.trim() !== '') return text;
  throw new ProgramFault('The response of the judge has no text. Check --judge-protocol.');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
