/** Reads a run of digits in which leading zeros count, in a base of up to 36. */
import type { Parse } from './answer.ts';

const maxCharacters = 400;
const symbols = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const prefixes: Readonly<Record<number, string>> = { 2: '0B', 8: '0O', 16: '0X' };
const baseNames: Readonly<Record<number, string>> = {
  2: 'BINARY',
  8: 'OCTAL',
  10: 'DECIMAL',
  16: 'HEX(?:ADECIMAL)?',
};

export function digitsParser(base: number | undefined): Parse {
  const allowed = base === undefined ? '[0-9A-F]' : `[${symbols.slice(0, base)}]`;
  const grouped = new RegExp(`^${allowed}{1,3}(?:([ ,_'’-])${allowed}{3})(?:\\1${allowed}{3})*$`);
  const nibbles = new RegExp(`^${allowed}{1,4}(?:([ _-])${allowed}{4})(?:\\1${allowed}{4})*$`);
  const bytes = new RegExp(`^${allowed}{8}(?:([ _-])${allowed}{8})*$`);
  const spelled = new RegExp(`^${allowed}(?:([ -])${allowed})(?:\\1${allowed})*$`);
  const plain = new RegExp(`^${allowed}+$`);
  const forms = [plain, grouped, nibbles, bytes, spelled];
  return (text) => {
    if (text.length > maxCharacters) return null;
    const bare = withoutBase(text.toUpperCase().trim(), base);
    if (bare === null || !forms.some((form) => form.test(bare))) return null;
    const digits = bare.replaceAll(/[^0-9A-Z]/g, '');
    return base === undefined && !/\d/.test(digits) ? null : digits;
  };
}

/** The digits without the prefix of their base, or null if the prefix names another base. */
function withoutBase(text: string, base: number | undefined): string | null {
  if (base === undefined) return text;
  const prefix = prefixes[base];
  const bare = prefix !== undefined && text.startsWith(prefix) ? text.slice(2) : text;
  const name = baseNames[base];
  const mark = new RegExp(
    `(?:_\\{?\\(?${base}\\)?\\}?|\\(${base}\\)| ?\\(?(?:IN )?BASE[ -]?${base}\\)?${name === undefined ? '' : `| \\(?(?:IN )?${name}\\)?`})$`,
  );
  const unmarked = bare.replace(mark, '');
  return /^[0-9A-Z]/.test(unmarked) ? unmarked : null;
}

/** A form in which digits compare equal if they represent the same number. */
export function withoutLeadingZeros(digits: string): string {
  return digits.replace(/^0+(?=.)/, '');
}
