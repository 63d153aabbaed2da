/**
 * Replaces the values of a target's secret headers wherever its replies repeat them, before anything is stored or shown: in
 * any case, with or without their scheme, plain, as JSON, a URL or HTML has them, or in base64, at any offset.
 */
export type Redact = (text: string) => string;

export const redacted = '[redacted]';
/** A shorter value, such as a version number, is no secret. */
const secretMin = 4;
/** Nor is a shorter one whose header does not say that it is one, such as the name of a tenant or a mode. */
const unnamedMin = 16;
const secretName = /auth|cookie|cred|jwt|key|pass|pwd|secret|session|sig|token/i;
const scheme = /^(?:basic|bearer)\s/i;
/** What any client may send to anybody. */
const publicName = /^(?:accept|accept-language|http-referer|origin|referer)$/i;
/** Enough to recognise a value. Longer ones are found by their beginning and cut to their end. */
const searchedMax = 64;

interface Form {
  /** In lower case. */
  readonly text: string;
  readonly isBase64: boolean;
}

/** @param headers as they are sent */
export function redactorOf(headers: Readonly<Record<string, string>>): Redact {
  const secrets = Object.entries(headers).filter(
    ([name, value]) =>
      !publicName.test(name) && (value.length >= unnamedMin || secretName.test(name) || scheme.test(value)),
  );
  const forms = secrets.flatMap(([, value]) => formsOf(value));
  const unique = [...new Map(forms.map((form) => [form.text, form])).values()];
  if (unique.length === 0) return (text) => text;
  let tree: Beginning | null = null;
  return (text) => redactForms((tree ??= treeOf(unique)), text);
}

function formsOf(value: string): readonly Form[] {
  // `Bearer x` is as secret as `x`.
  const credentials = /^[\w!#$%&'*+.^`|~-]+\s+(\S.*)$/.exec(value)?.[1] ?? value;
  const secrets = [value, credentials, ...decodedParts(credentials)].filter(
    ({ length }) => length >= secretMin,
  );
  return secrets.flatMap((plain) => [
    ...printedForms(plain).map((text) => ({ text: lowerCase(text), isBase64: false })),
    ...[0, 1, 2].flatMap((offset) =>
      (['base64', 'base64url'] as const).map((encoding) => ({
        text: lowerCase(encodedFrom(plain, offset, encoding)),
        isBase64: true,
      })),
    ),
  ]);
}

/** As servers print a text in JSON, URLs and HTML. They differ in the characters that they escape. */
function printedForms(plain: string): readonly string[] {
  const inJson = JSON.stringify(plain).slice(1, -1);
  const inUrl = encodeURIComponent(plain);
  return [
    plain,
    inJson,
    inJson.replaceAll('/', String.raw`\/`),
    plain.replaceAll('/', String.raw`\/`),
    plain.replace(/[^\w.:/ -]/g, (sign) => String.raw`\u00${hex(sign)}`),
    inUrl,
    inUrl.replaceAll('%2F', '/'),
    encodeURI(plain),
    plain.replace(/["&'<>]/g, (sign) => namedInHtml[sign] ?? sign),
    plain.replace(/["&'<>]/g, (sign) => `&#${sign.charCodeAt(0)};`),
    plain.replace(/[^\w.: -]/g, (sign) => `&#x${hex(sign)};`),
  ];
}

function hex(sign: string): string {
  return sign.charCodeAt(0).toString(16);
}

const namedInHtml: Readonly<Record<string, string>> = {
  '"': '&quot;',
  '&': '&amp;',
  "'": '&#39;',
  '<': '&lt;',
  '>': '&gt;',
};

/** What the credentials of `Basic` carry: user and password. */
function decodedParts(credentials: string): readonly string[] {
  const decoded = Buffer.from(credentials, 'base64').toString('latin1');
  if (!/^[\x20-\x7e]+$/.test(decoded) || Buffer.from(decoded).toString('base64') !== credentials) return [];
  const password = decoded.slice(decoded.indexOf(':') + 1);
  return [decoded, password];
}

/** The characters that depend on the value only, if it begins `offset` bytes into a group of three. */
function encodedFrom(plain: string, offset: number, encoding: 'base64' | 'base64url'): string {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(plain)]);
  const whole = Math.floor((bytes.length * 8) / 6);
  return bytes.toString(encoding).slice(offset === 0 ? 0 : offset + 1, whole);
}

/** A beginning of forms, in a tree of all of them. */
interface Beginning {
  readonly length: number;
  readonly next: Map<number, Beginning>;
  /** The longest other beginning with which this one ends; null for the empty one. */
  rest: Beginning | null;
  /** The forms that have exactly this beginning, or else those of the longest `rest` with some. */
  found: { readonly length: number; readonly forms: Form[] } | null;
  /** The length of the shortest form that begins like this, up to `searchedMax`. */
  shortest: number;
}

function beginningOf(length: number): Beginning {
  return { length, next: new Map(), rest: null, found: null, shortest: searchedMax };
}

/** The automaton of Aho and Corasick: it finds all forms in one pass over a text, whatever the text contains. */
function treeOf(forms: readonly Form[]): Beginning {
  const root = beginningOf(0);
  for (const form of forms) {
    let at = root;
    const length = Math.min(form.text.length, searchedMax);
    for (let index = 0; index < length; index += 1) {
      const code = form.text.charCodeAt(index);
      const next = at.next.get(code) ?? beginningOf(index + 1);
      at.next.set(code, next);
      at = next;
      at.shortest = Math.min(at.shortest, length);
    }
    at.found ??= { length, forms: [] };
    at.found.forms.push(form);
  }
  // Shorter ones first. The list grows while it is read.
  const all = [root];
  for (const at of all) {
    for (const [code, next] of at.next) {
      next.rest = at.rest === null ? root : follow(at.rest, code);
      next.found ??= next.rest.found;
      all.push(next);
    }
  }
  return root;
}

/** The longest beginning with which a text ends, if it had `at` as its end before one more character. */
function follow(at: Beginning, code: number): Beginning {
  let from = at;
  for (;;) {
    const next = from.next.get(code);
    if (next !== undefined) return next;
    if (from.rest === null) return from;
    from = from.rest;
  }
}

interface Span {
  readonly start: number;
  readonly end: number;
}

function redactForms(root: Beginning, text: string): string {
  const searched = lowerCase(text);
  const spans: Span[] = [];
  /** To where the text was compared with the rest of a long form. */
  const compared = new Map<Form, number>();
  let at = root;
  for (let index = 0; index < searched.length; index += 1) {
    at = follow(at, searched.charCodeAt(index));
    if (at.found === null) continue;
    const start = index + 1 - at.found.length;
    for (const form of at.found.forms) {
      if (start < (compared.get(form) ?? 0)) continue;
      const end = endOf(form, searched, start, index + 1);
      if (form.text.length > searchedMax) compared.set(form, end);
      addSpan(spans, { start, end });
    }
  }
  const cut = cutAtEnd(at);
  if (cut > 0) addSpan(spans, { start: text.length - cut, end: text.length });
  let result = '';
  let done = 0;
  for (const { start, end } of spans) {
    result += text.slice(done, start) + redacted;
    done = end;
  }
  return result + text.slice(done);
}

function endOf({ text: form, isBase64 }: Form, searched: string, start: number, found: number): number {
  let end = found;
  // The rest may be missing, because the text was cut off.
  while (end - start < form.length && searched[end] === form[end - start]) end += 1;
  // The last character of base64 may also depend on what follows.
  return isBase64 ? end + (/^[\w+/-]?={0,2}/.exec(searched.slice(end, end + 3))?.[0].length ?? 0) : end;
}

/** Spans that overlap become one. */
function addSpan(spans: Span[], added: Span): void {
  let { start, end } = added;
  for (let last = spans.at(-1); last !== undefined && last.end > start; last = spans.at(-1)) {
    start = Math.min(start, last.start);
    end = Math.max(end, last.end);
    spans.pop();
  }
  spans.push({ start, end });
}

/** How many characters at the end of a text are at least half of a form, as in a reply that was cut off. */
function cutAtEnd(last: Beginning): number {
  for (let at: Beginning | null = last; at !== null && at.length >= secretMin; at = at.rest)
    if (2 * at.length >= at.shortest) return at.length;
  return 0;
}

/** Positions stay the same: only U+0130 would become longer. */
function lowerCase(text: string): string {
  return text.replaceAll('\u0130', 'i').toLowerCase();
}
