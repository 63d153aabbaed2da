import { describe, expect, test } from 'bun:test';
import { generateCases, gradeReply } from '#domain/eval-suite/index.ts';
import { drawSeed } from './draw-seeds.ts';
import { processorMs } from './processor-time.ts';

const size = 262_144;
const fill = (piece: string) => piece.repeat(Math.ceil(size / piece.length)).slice(0, size);
const wrap = (before: string, piece: string, after: string) =>
  before + fill(piece).slice(0, size - before.length - after.length) + after;

/** 256 KiB each, built to be slow for parsers, patterns and counters. */
const replies: Readonly<Record<string, string>> = {
  'one letter': fill('a'),
  'one capital letter': fill('A'),
  'words of one letter': fill('a '),
  spaces: fill(' '),
  'tabs and a letter': wrap('', '\t', 'x'),
  'line breaks': fill('\n'),
  'carriage returns': fill('\r\n'),
  'blank lines with spaces': fill('\n \t '),
  'full stops': fill('.'),
  'exclamation marks and a letter': wrap('', '!', 'x'),
  'stops and brackets': fill('.)))'),
  'closing brackets after a stop': wrap('.', ')', 'x'),
  'open square brackets': fill('['),
  'bracket pairs': fill('[]'),
  'deep JSON arrays': '['.repeat(size / 2) + ']'.repeat(size / 2),
  'deep JSON objects': fill('{"a":'),
  'a wide JSON array': `[${fill('1,').slice(0, -4)}1]`,
  'a JSON array of equal objects': `[${'{"a":[1]},'.repeat(26_000)}{}]`,
  'a JSON object of many keys': `{${Array.from({ length: 18_000 }, (_, key) => `"k${key}":1`).join(',')}}`,
  'a short JSON array of many values': `[${'1,'.repeat(29_000)}1]`,
  'a JSON string of escapes': wrap('{"a":"', '\\"', '"}'),
  backslashes: fill('\\'),
  'double quotes': fill('"'),
  'CSV of quotes': wrap('a,b\n"', '""', '",1'),
  'CSV of commas': fill(','),
  'CSV of short records': fill('a,b\n'),
  'code fences': fill('```\n'),
  'one long code fence': wrap('```\n', 'x\n', '```'),
  backticks: fill('`'),
  asterisks: fill('*'),
  'asterisks and spaces': fill('* '),
  highlights: fill('*a*'),
  'uneven asterisks': fill('*a**b***'),
  bullets: fill('* a\n'),
  separators: fill('***\n'),
  'six asterisks': fill('******\n'),
  'angle brackets': fill('<<'),
  titles: fill('<<a>>'),
  headings: Array.from({ length: 20_000 }, (_, part) => `Section ${part + 1}\n`)
    .join('')
    .slice(0, size),
  'answer labels': fill('Answer:\n'),
  'labels and stars': fill('** Answer **'),
  'a labelled long line': wrap('Answer: ', '9', ''),
  'a labelled line of blanks': wrap('Answer: ', ' ', '1'),
  digits: fill('1234567890'),
  'grouped digits': fill('1,000,'),
  dollars: wrap('$', '$', '$'),
  postscripts: fill('P.S.\n'),
  'a long ligature': fill('\ufdfa'),
  'combining marks': fill('a\u0301\u0327'),
  'dotted capitals': fill('\u0130'),
  'surrogate pairs': fill('\u{1f642}'),
  'lone surrogates': fill('\ud800'),
  'zero-width characters': fill('a\u200b'),
  'hex digits': fill('6b72'),
  base64: fill('a3Jhdm9'),
  'escape sequences': fill('\\x6b'),
  'control characters': fill('\u001b['),
};

/**
 * The longest that one reply may block the event loop. The slowest grader takes a tenth of it; a grader that
 * is quadratic in the reply would take a hundred times as long.
 */
const mostMs = 50;
const attempts = 5;

describe('grading 256 KiB of hostile input', () => {
  const cases = ['one', 'another'].flatMap((label) => generateCases(drawSeed(label)));
  const warm = fill('warm up. * a\n');
  for (const evalCase of cases) gradeReply(evalCase, warm);

  test.each(Object.keys(replies))(`uses the processor for at most ${mostMs} ms: %s`, (name) => {
    const reply = replies[name] ?? '';
    expect(reply.length).toBeGreaterThan(50_000);
    for (const evalCase of cases) {
      let fastest = Number.POSITIVE_INFINITY;
      // Compilation and garbage collection affect some attempts, never all.
      for (let attempt = 0; attempt < attempts && fastest > mostMs; attempt += 1) {
        const ms = processorMs(() => expect(gradeReply(evalCase, reply).score).toBeLessThanOrEqual(1));
        fastest = Math.min(fastest, ms);
      }
      expect({
        id: evalCase.id,
        kind: evalCase.kind,
        ms: Math.round(fastest),
        fast: fastest <= mostMs,
      }).toMatchObject({ fast: true });
    }
  });
});
