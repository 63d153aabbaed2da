/**
 * Replaces the values of a target's secret headers wherever its replies repeat them, before anything is stored or shown: in
 * any case, with or without their scheme, plain, as JSON, a URL or HTML has them, or in base64, at any offset.
 */
export type Redact = (text: string) => string;

export const redacted = '[redacted]';
/** A shorter value, such as a version number, is no secret. */
const secretMin = 4;
/** Enough to recognise a value. Longer ones are found by their beginning and cut to their end. */
const searchedMax = 256;

interface Form {
  /** In ASCII lower case. */
  readonly text: string;
  readonly isBase64: boolean;
}

/** @param headers as they are sent */
export function redactorOf(headers: Readonly<Record<string, string>>): Redact {
  const forms = Object.values(headers).flatMap(formsOf);
  const unique = [...new Map(forms.map((form) => [form.text, form])).values()];
  // A form that contains another one must be found first.
  const longestFirst = unique.toSorted((a, b) => b.text.length - a.text.length);
  return (text) => longestFirst.reduce(redactForm, text);
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

function redactForm(text: string, { text: form, isBase64 }: Form): string {
  const searched = lowerCase(text);
  const beginning = form.slice(0, searchedMax);
  let result = '';
  let done = 0;
  for (let at = searched.indexOf(beginning); at !== -1; at = searched.indexOf(beginning, done)) {
    let end = at + beginning.length;
    // The rest may be missing, because the text was cut off.
    while (end - at < form.length && searched[end] === form[end - at]) end += 1;
    // The last character of base64 may also depend on what follows.
    if (isBase64) end += /^[\w+/-]?={0,2}/.exec(searched.slice(end, end + 3))?.[0].length ?? 0;
    result += text.slice(done, at) + redacted;
    done = end;
  }
  const rest = text.slice(done);
  const cut = cutAtEnd(lowerCase(rest), beginning);
  return result + (cut === 0 ? rest : rest.slice(0, -cut) + redacted);
}

/** How many characters at the end of a text are the beginning of a form, as in a reply that was cut off. */
function cutAtEnd(text: string, form: string): number {
  for (
    let length = Math.min(text.length, form.length - 1);
    length >= Math.max(secretMin, form.length / 2);
    length -= 1
  )
    if (text.endsWith(form.slice(0, length))) return length;
  return 0;
}

/** ASCII only, so that positions stay the same. */
function lowerCase(text: string): string {
  return text.replace(/[A-Z]+/g, (upper) => upper.toLowerCase());
}
