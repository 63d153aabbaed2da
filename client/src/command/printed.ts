/** What programs print, as texts that can be graded and reports that can be shown. */

/** Escape sequences of terminals: colours, moves, titles and links. */
const [escape, bell] = [0x1b, 0x07].map((code) => String.fromCharCode(code));
const escapes = new RegExp(
  String.raw`${escape}(?:\[[0-?]*[ -/]*[@-~]|\][^${bell}${escape}]*(?:${bell}|${escape}\\)|[ -/]*[0-Z\\^-~])`,
  'g',
);

export function withoutColours(text: string): string {
  return text.includes('\u001b') ? text.replaceAll(escapes, '') : text;
}

const unshown = /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu;

/** A text of a hub or of a file, which must not move the cursor of a terminal or hide what it says. */
export function shown(text: string): string {
  return withoutColours(text).replaceAll('\r\n', '\n').replaceAll(unshown, '\ufffd');
}

/** The same for a value. `JSON.stringify` leaves some of these characters as they are; escaped, they mean the same. */
export function shownJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll(
    unshown,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

const secretName = /KEY|TOKEN|SECRET|PASSW|CREDENTIAL|AUTH|COOKIE|_DSN$|_URL$/i;
const secretLengthMin = 8;
/** Keys of well-known services, and values that are named as secrets. */
const secretForms: readonly RegExp[] = [
  /\b(?:sk|pk|rk)[-_][\w-]{16,}|\bgh[oprsu]_\w{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}|\bxox[abeprs]-[\w-]{10,}|\bA(?:KIA|SIA)[A-Z0-9]{16}\b|\bAIza[\w-]{30,}|\bhf_\w{20,}|(?<![\w-])eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]*/g,
  /(?<=\b(?:bearer|basic) )[\w+/=.~-]{8,}/gi,
  /(?<=\b\w{0,30}(?:key|token|secret|password|passwd|credential)s?["']?\s{0,3}[:=]\s{0,3}["']?)[^\s"',;]{4,}/gi,
];

/** Replaces keys: the values of variables whose names say that they are secret, and what looks like a key. */
export function redactor(
  environment: Readonly<Record<string, string | undefined>>,
): (text: string) => string {
  const values = Object.entries(environment)
    .flatMap(([name, value = '']) =>
      secretName.test(name) && value.length >= secretLengthMin ? [value] : [],
    )
    .toSorted((one, other) => other.length - one.length);
  return (text) => {
    const known = values.reduce((rest, value) => rest.replaceAll(value, '[redacted]'), text);
    return secretForms.reduce((rest, form) => rest.replaceAll(form, '[redacted]'), known);
  };
}
