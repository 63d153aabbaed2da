/**
 * Reads one number: decimal digits with grouping marks, an English number word, or an equation that ends in its result.
 */
import type { Parse } from './answer.ts';
import { parseNumberWords } from './parse-number-words.ts';

const maxCharacters = 200;
const digits = String.raw`(?:\d{1,3}(?:(?<mark>[,_'’ ])\d{3})(?:\k<mark>\d{3})*|\d+)(?:\.\d+)?|\.\d+`;
const plain = new RegExp(String.raw`^([+-]? ?)(${digits})$`);
const operators = /[-+*/×÷·^()]|\bplus\b|\bminus\b|\btimes\b|\bmod\b/;
const term = /^[-+*/×÷·^().,\d\s]{1,160}$/;
const variable = /^[A-Za-z]{1,2}$/;

export function numberParser(units: readonly string[]): Parse {
  const known = new Set(units.flatMap((unit) => [unit, `${unit}s`, unit.replace(/s$/, '')]));
  return (text) => {
    if (text.length > maxCharacters) return null;
    const normal = text.replaceAll(/[−–‒‑﹣－]/g, '-').trim();
    return parseAmount(normal, known) ?? parseEquation(normal, known);
  };
}

function parseAmount(text: string, units: ReadonlySet<string>): string | null {
  const amount = parsePlain(text) ?? parseNumberWords(text);
  if (amount !== null) return amount;
  const split = /^(.*[^\s])[ ]?(?<=[\d *_`])(\p{L}[\p{L} ]*|%)$/u.exec(text);
  if (split?.[1] === undefined || split[2] === undefined) return withWordsAhead(text, units);
  return units.has(split[2].toLowerCase())
    ? parseAmount(split[1].replaceAll(/^[*_`]{1,3}|[*_`]{1,3} ?$/g, '').trim(), new Set())
    : withWordsAhead(text, units);
}

/** The unit after a number in words, as in `twelve crates`. */
function withWordsAhead(text: string, units: ReadonlySet<string>): string | null {
  for (const unit of units) {
    if (text.toLowerCase().endsWith(` ${unit}`)) return parseNumberWords(text.slice(0, -unit.length - 1));
  }
  return null;
}

function parsePlain(text: string): string | null {
  const match = plain.exec(text);
  if (match?.[2] === undefined) return null;
  const [whole = '', fraction = ''] = match[2].replaceAll(/[,_'’ ]/g, '').split('.');
  const kept = fraction.replace(/(?<!0)0+$/, '');
  const value = `${whole.replace(/^0+(?=\d)/, '') || '0'}${kept === '' ? '' : `.${kept}`}`;
  return match[1]?.startsWith('-') && value !== '0' ? `-${value}` : value;
}

/** `6 × 7 = 42`: every side that is a bare number must be the result, so `7 = 8` has two candidates. */
function parseEquation(text: string, units: ReadonlySet<string>): string | null {
  const sides = text.split(/={1,2}|⇒|→/).map((side) => side.trim());
  const result = parseAmount(sides.at(-1) ?? '', units);
  if (sides.length < 2 || result === null) return null;
  const sound = sides.slice(0, -1).every((side, position) => {
    if (side === '' || (position === 0 && variable.test(side))) return position === 0;
    const bare = parsePlain(side);
    return bare === null ? term.test(side) && operators.test(side) : bare === result && position > 0;
  });
  return sound ? result : null;
}
