/** Shapes of text that are slow to parse, match, count or fold, each in any size. */

export interface HostileShape {
  readonly name: string;
  /** A text of exactly this many UTF-16 units. */
  readonly text: (length: number) => string;
}

/** Repeated, with and without a beginning that makes a reader look at them. */
const pieces: readonly string[] = [
  // Letters, digits and words
  ...'a A 1 0 a-'.split(' '),
  ..."a |Aa Bb. |the the |word |a's ".split('|'),
  'x'.repeat(70),
  ...'aaaaaaab ab 1234567890 1,000, 1. -1 1/ 1e9 10: 0x 1+1= ; , / — … .. ?!'.split(' '),
  ...'123 456 |1. |12:30 |2026-01-01 |one |one hundred and |thousand million |double |ana, '.split('|'),
  ...'ana,\n| and |or |not |1 = |a = b; |a -> | – | → |, | - '.split('|'),
  '|',
  // Space
  ...' |\t|\n|\r\n|\n \t |\u00a0|\u2028|\u3000| \n|\n\n|a\n|a b c\n\n'.split('|'),
  // Brackets and quotation marks
  ...'( ) () [ ] [] { {} < <> <<a>> ([{ " \' "" “ ” „“ «» \\" \\ \\\\ ` `` `a` ~~ ~~a~~'.split(' '),
  ...'"a" |\'a\' |```\n|```text\n|~~~\n'.split('|'),
  // Markdown
  ...'* ** *a* *a**b*** _ _a_ __a > [a](b) [a]( [a] ![ ![a](b) ]( <http://a.b> <a@b.c>'.split(' '),
  ...'http:// http://a.b/( mailto: |- \\|'.split(' '),
  ...'* |* a\n|*a _b |**a** |***\n|---\n|===\n|# |# a\n|> |> - * 1. a\n|- a\n|  - a\n'.split('|'),
  ...'1. a\n|1) a 2) b |- [ ] a\n|    a\n|[a]: b\n|[a]: <b> "c"\n|http://a.b/ |www.a.b '.split('|'),
  'a@b.c ',
  '| a | b |\n',
  '|---|\n',
  // HTML and entities
  ...'<b> <b>a</b> </ <!-- <!--a--> <![CDATA[ <? <li> <br/> <p <s> <think> <think></think>'.split(' '),
  ...'<script> <style> & &amp; &#x &#65; &lt;b&gt; &a'.split(' '),
  ...'<a href="|<a b=c '.split('|'),
  // JSON, CSV, code and encodings
  ...'{"a": {"a":[1]}, [1, "a":1, [[], "", \\u0041 \\x6b %41 % 6b72 01 QUFBQUFB a3Jh= .- $'.split(' '),
  ...'$a$ $$ \\boxed{1}'.split(' '),
  ...'{"answer": |a,b\n|"a","b"\n|a;b\n|a\tb\n|6b 72 |01101011 |107 114 |QUFB |.- |dit dah '.split('|'),
  ...'k r a |k-r-a |kilo |iv |letter 1 |\\text{'.split('|'),
  // Answers and doubts about them
  ...'[answer] <answer>1</answer>'.split(' '),
  ...'Answer: |Answer:\n|Answer: 7\n|the answer is |the final correct |is |: |a:\n|wait '.split('|'),
  ..."maybe |let me |i'm really |is the answer |here is |go with |n't |made a ".split('|'),
  // Unicode
  ...'\u0301 \u0301\u0316 a\u0301\u0327 \u0f71\u0f72 \u0301\uff9e \u1e69 \u0130 ß \ufb03'.split(' '),
  ...'\ufdfa \u200b \u200d a\u200d \u{1f468}\u200d \ufe0f \u202e \u202ea\u202c \u2066'.split(' '),
  ...'\ud800 \udc00 \u{1f642} \u{1f1e6} \u{e0061} а α ⓐ 𝗔 𝟏 Ａ ٣ ⠅ 三 機 가 \u1100\u1161 \0'.split(' '),
  ...'\u0001 \u001b[ \u007f \u0085'.split(' '),
  ...'\u00ad|\ufeff'.split('|'),
];

const fill = (piece: string, length: number): string =>
  piece.repeat(Math.ceil(length / piece.length)).slice(0, length);

/** The text has `before` and `after`, and `piece` between them. */
const between = (name: string, before: string, piece: string, after: string): HostileShape => ({
  name,
  text: (length) => before + fill(piece, length - before.length - after.length) + after,
});

/** Deeply nested: the first half opens, the second half closes. */
const nested = (name: string, open: string, close: string): HostileShape => ({
  name,
  text: (length) => {
    const depth = Math.floor(length / (open.length + close.length));
    return (open.repeat(depth) + close.repeat(depth)).padEnd(length);
  },
});

/** No two parts are alike. */
const numbered = (name: string, part: (number: number) => string): HostileShape => ({
  name,
  text: (length) => {
    let text = '';
    for (let number = 0; text.length < length; number += 1) text += part(number);
    return text.slice(0, length);
  },
});

/** What the first half says once, the second half repeats. */
const multiplied = (name: string, once: (length: number) => string, piece: string): HostileShape => ({
  name,
  text: (length) => {
    const first = once(Math.floor(length / 2));
    return first + fill(piece, length - first.length);
  },
});

/** A table of as many columns as the length allows, with one character for each cell of its head. */
const wideHead = (delimiter: string) => (length: number) => {
  const columns = Math.floor(length / (2 + delimiter.length));
  return `${'a|'.repeat(columns)}\n${delimiter.repeat(columns)}\n`;
};

/** Markdown whose HTML is the product of two of its parts. */
export const multiplyingShapes: readonly HostileShape[] = [
  ...['-|', ':-:|', '-:|'].flatMap((delimiter) =>
    ['x\n', '|\n', '|x|y\n'].map((row) =>
      multiplied(`rows ${JSON.stringify(row)} below a wide head of ${delimiter}`, wideHead(delimiter), row),
    ),
  ),
  multiplied(
    'a wide table in a quotation',
    (length) =>
      `> ${wideHead('-|')(length - 5)
        .trimEnd()
        .replace('\n', '\n> ')}\n`,
    '> x\n',
  ),
  ...['[a]', '[a][]', '[b][a]', '[a] ', '[**b**][a]', '- [a]\n', '|[a]', '# [a]\n'].flatMap((link) => [
    multiplied(
      `${JSON.stringify(link)} to a long address`,
      (length) => `[a]: http://a.b/${fill('ü', length)}\n\n`,
      link,
    ),
    multiplied(
      `${JSON.stringify(link)} with a long title`,
      (length) => `[a]: http://a.b/ "${fill('&', length)}"\n\n`,
      link,
    ),
    multiplied(`${JSON.stringify(link)} among many`, (length) => fill('[c]: http://a.b/\n', length), link),
  ]),
  between('tables of one row', '', 'a|b|c|d|e|f|g|h\n-|-|-|-|-|-|-|-\nx\n\n', ''),
  between('lists in one line', '', `${'- '.repeat(49)}\n\n`, ''),
  between('quotations in one line', '', `${'>'.repeat(99)}\n\n`, ''),
  between('quotations and lists in one line', '', `${'> - '.repeat(24)}\n\n`, ''),
];

export const hostileShapes: readonly HostileShape[] = [
  ...multiplyingShapes,
  ...pieces.map((piece) => between(`${JSON.stringify(piece)} repeated`, '', piece, '')),
  nested('nested round brackets', '(', ')'),
  nested('nested square brackets', '[', ']'),
  nested('nested objects', '{"a":', '}'),
  nested('nested quotations', '> ', ''),
  nested('nested emphasis', '*a ', ' b*'),
  nested('nested strong emphasis', '**a', 'b**'),
  nested('nested links', '[', '](a)'),
  nested('nested tags', '<b>', '</b>'),
  nested('nested quotation marks', '“', '”'),
  nested('nested LaTeX', '\\text{', '}'),
  between('a JSON array', '[', '1,', '1]'),
  between('a JSON string', '"', 'a', '"'),
  between('a JSON string of escapes', '{"answer":"', '\\"', '"}'),
  between('an object of equal keys', '{', '"a":1,', '"a":1}'),
  numbered('an object of many keys', (number) => `${number === 0 ? '{' : ','}"k${number}":1`),
  between('CSV below a header', 'mark,kg\n', 'a,b\n', ''),
  between('one quoted cell', 'mark,kg\n"', '""', '",1'),
  between('a code block', '```\n', 'x\n', '```'),
  between('a table', '| a | b |\n|---|---|\n', '| c | d |\n', ''),
  between('a row of many cells', '| a |\n|---|\n', 'a|', ''),
  between('a table of many columns', '', '-|', '\n'),
  between('a long answer', 'Answer: ', 'a', ''),
  between('an answer of words', 'Answer: ', 'ana ', ''),
  between('an answer of many items', 'Answer: ', 'ana, ', 'bel'),
  between('an answer of digits', 'Answer: ', '9', ''),
  between('an answer of blanks', 'Answer: ', ' ', '1'),
  between('an answer in many brackets', 'Answer: ', '(', '1'),
  between('an answer after long thought', '<think>', 'The answer is 7. ', '</think>\n7'),
  between('thought that never ends', '<think>\n', 'so 7\n', ''),
  between('a letter after blanks', '', ' ', 'x'),
  between('a letter after exclamation marks', '', '!', 'x'),
  between('a line break after dots', '', '.', '\n1'),
  between('a comment that never ends', '<!--', '-', ''),
  between('an address', 'mailto:', 'a', '@b.c'),
  between('a link', 'http://a.b/', 'a', ''),
  between('a long host', 'http://', 'a.', 'b/'),
  numbered('numbered lines', (number) => `${number + 1}. ana\n`),
  numbered('headings', (number) => `Section ${number + 1}\n`),
  numbered('different words', (number) => `w${number.toString(36)} `),
  numbered('different lines', (number) => `line ${number}\n`),
  numbered('different labels', (number) => `item ${number}: ${number}\n`),
  numbered('reference links', (number) => `[a${number}]: b\n`),
  numbered('code of growing length', (number) => `${'`'.repeat(number + 1)}a`),
  numbered('growing lists', (number) => `${' '.repeat(number % 40)}- a\n`),
];
