/** The graders of numbers on right, wrong, tricky and hostile replies. */
import { barred, tryTables } from './grader-tables.ts';

tryTables({
  number: {
    spec: { number: 25.88, within: 0.005 },
    passes: ['25.88', '25.88 EUR', 'It is 25.885.', '25.875', '€25.88', 'EUR 25.88'],
    fails: ['25.8851', '25.8749', '25.88.1', '-25.88', '25,88', 'between 25.88 and 26', '', 'none', '2588'],
  },
  'number reads groups, units, signs and the digits of any script': {
    spec: { number: -1234.5 },
    passes: barred(`
      -1{,}234.5 | $-1\\,234.5$ | -1,234.5 | −1234.5 points | The balance is -1 234.5
      -١٬٢٣٤٫٥ | −۱۲۳۴٫۵ | -१२३४.५ | －１２３４．５ | -𝟏𝟐𝟑𝟒.𝟓 | minus ১২৩৪.৫
    `),
    fails: barred(`1,234.5 | -1,23,4.5 | -12345 | account-1234.5 | ١٢٣٤٫٥ | -١٢٣٤ | -𝟏𝟐𝟑𝟒.𝟔`),
  },
  'number with within_percent has inclusive bounds': {
    spec: { number: 205, within_percent: 10 },
    passes: ['About 205 pieces', '184.5', '225.5'],
    fails: ['184.49', '225.51', '205 of 300'],
  },
  'number takes the last of several if told so': {
    spec: { number: 7, last: true },
    passes: ['3 + 4 = 7', '<think>8 or 9</think>5 then 7'],
    fails: ['7 or 8', 'seven'],
  },
  'number that a word bounds or denies, as a sign does': {
    spec: { number: 42 },
    passes: barred(`
      42 | Not sure, but 42 | Other than that, 42 | Why not: 42 | no more than 42 | at most 42 | not over 42
      Is it 41? No: 42. | The answer to all of it, no doubt: 42 | Is it late? 42
      Whether or not 42 is right | none other than 42 | It is nothing other than 42
    `),
    fails: barred(`
      not 42 | It is not €42. | anything but 42 | more than 42 | Less than $42 | Greater than **42** | < 42
      other than 42 | It isn't 42. | It can’t be 42 | It cannot be 42 | never 42 | Not exactly 42
      is not equal to 42 | under 42 | above 42 | almost 42 | It exceeds $42 | unlike 42 | 42 or more
      **42** or less | 42 and a half | 42 ½ | 42 is wrong | 42 isn't right | Is it 42? | 42?
    `),
  },
  'number ignores digits inside words': {
    spec: { number: 7 },
    passes: ['v2 says 7', 'A4: 7', '答案是7。', '共7个', '정답은7입니다.', 'คำตอบคือ7'],
    fails: ['7 7', 'b7', '他有7个, 我有 7 个', 'ответ7'],
  },
  'a number that json contains is no part of another': {
    spec: { json: { at: '/a', contains: 5 } },
    passes: ['{"a":[4,5.0]}', '{"a":"order 5"}', '{"a":"5"}'],
    fails: ['{"a":"15"}', '{"a":"5.5"}', '{"a":["5"]}', '{"a":5}', '{"a":"A5"}'],
  },
  'json contains true only in a list': {
    spec: { json: { at: '/a', contains: true } },
    passes: ['{"a":[true]}'],
    fails: ['{"a":"untrue"}', '{"a":["true"]}', '{"a":true}'],
  },
  'json with numbers that JavaScript would round': {
    spec: { json: { at: '/a', equals: [{ $number: '9007199254740993' }, 0.1, -0] } },
    passes: ['{"a":[9007199254740993,0.1,0]}', '{"a":[9007199254740993.0,1e-1,0.00]}'],
    fails: [
      '{"a":[9007199254740992,0.1,0]}',
      '{"a":[9007199254740994,0.1,0]}',
      '{"a":[9007199254740993,0.10000000000000001,0]}',
      '{"a":[{"$number":"9007199254740992"},0.1,0]}',
    ],
  },
  'json whose number is near one that JavaScript would round': {
    spec: { json: { at: '', number: { $number: '9007199254740993' }, within: 1 } },
    passes: ['9007199254740992', '9007199254740994'],
    fails: ['9007199254740991', '9007199254740995', '"9007199254740993"', '1e400'],
  },
  'number of more digits than JavaScript keeps': {
    spec: { number: { $number: '9007199254740993' } },
    passes: ['9007199254740993', 'It is 9,007,199,254,740,993.'],
    fails: ['9007199254740992', '9007199254740994'],
  },
  'rows and lists of numbers that JavaScript would round': {
    spec: { any: [{ rows: [['id'], [{ $number: '9007199254740993' }]] }, { list: [1, 2.5] }] },
    passes: ['id\n9007199254740993', '[1.0, 2.50]', '- 1\n- 2.50'],
    fails: ['id\n9007199254740992', '[1, 2.5000000000000001]', '- 01\n- 2.5'],
  },
  'rows and lists of numbers with any sign of minus': {
    spec: { any: [{ rows: [['n'], [-3]] }, { list: [1, -3] }] },
    passes: ['n\n−3', '1; −3.0', '- 1\n- –3'],
    fails: ['n\n3', '1; 3', 'n\n− 3'],
  },
  'number with a sign before its currency, or a word for one': {
    spec: { number: -5 },
    passes: barred(`
      -$5.00 | −€5 | –5 | minus 5 | Minus 5 degrees | It is negative 5. | $-5 | - €5 | -US$ 5 | -5 € | EUR -5
      x = - 5 | minus €5 | (-5) | − 5 | ‐5 | ‑5 | ﹣5 | -\\$5.00 | -**5** | -(5) | minus **5** | минус 5
      eksi 5 | **-5** | $-5$
    `),
    fails: ['$5.00', '- 5', '5', '±5', 'plus 5', '10 minus 5', '10 − 5', 'A-5', '(5)', '($5.00)', '3-5'],
  },
  'number without a sign': {
    spec: { number: 5 },
    passes: [
      ...barred(`
        $5.00 | - 5 | +5 | 5 € | EUR5 | US$5 | Fr. 5 | 5kg | 5 m | 5m | 5. | co-5 | is it 5 | _5_ | __5__
        **5** | \\$5.00 | $5$ | > 5 | <answer>5</answer> | five dollars ($5.00) | 5 K
      `),
      '5\n\nThousand thanks.',
    ],
    fails: [
      ...barred(`
        -$5.00 | −€5 | minus 5 | ±5 | 5² | 5½ | √5 | 5^2 | 2^5 | 5- | 5 % | 5k | XEUR5 | ½ | 5.5 | .5 | − 5
        -\\$5.00 | -**5** | -(5) | −($5.00) | minus **5** | ➖5 | ⁻5 | ($5.00) | Net: ($5.00)
        **5** million | **5**k | 5 k | 5MM | $5 B | $5 m | 5 TEUR | 5 thousandths | **5** %
        5万 | 5亿 | 5만 | 5 тыс. | 5 млн | 5 миллиарда | 5 लाख | 5 करोड़ | ٥ ملايين | 5 miljoen
        %5 | $5\\%$ | 5 процентов | 5パーセント | \\sqrt{5} | x^{5} | <5 | ≤5 | >= 5 | x > 5 | 5+ | 5f3
        5 × 10⁶ | 10<sup>5
      `),
      '−`5`',
    ],
  },
  'number with its scale': {
    spec: { number: 1_500_000 },
    passes: barred(`
      1.5 million | 1.5M | $1.5m | 1.5 m€ | 1.5 M€ | 1.5 Mio. EUR | 1500k | 1500 k | 1,500 thousand | 15 lakh
      0.0015bn | 1,500,000 | 15,00,000 | **1.5** million | $1.5MM | $1.5 M | 150万 | 1.5百万 | 1.5×10^6
      1.5 × 10⁶ | 1.5 \\times 10^{6} | 1.5 миллиона | 15 hundred thousand | 1.5 مليون | １，５００，０００
    `),
    fails: barred(`
      1.5 × 10^5 | 1.5 × 10⁻⁶ | 1.5 | 1.5 m | 1.5m | 1.5 % | 1.5 billion | 1500 | 1.5 millionth | -1.5 million
    `),
  },
  'number of a share': {
    spec: { number: 0.015 },
    passes: barred(`
      1.5 % | 1.5% | 1.5 percent | 1.5 per cent | 15 ‰ | 0.015 | ١٫٥٪ | 1.5 Prozent | **1.5** % | $1.5\\%$ | %1.5
    `),
    fails: ['1.5', '0.015 %', '1.5 percentage points'],
  },
  'number that is a percentage': {
    spec: { number: 15, percent: true },
    passes: ['15 %', '15%', '15', '15 percent', '150 ‰', '15 percentage points'],
    fails: ['0.15', '1.5 %', '15 million', '-15 %'],
  },
  'number with a decimal comma': {
    spec: { number: 1234567.5, decimal: 'comma' },
    passes: [
      ...barred(`1.234.567,5 | 1234567,50 € | 1'234'567,5 | 1 234 567,5 | 1.234.567,5.`),
      '1\u202f234\u202f567,5',
    ],
    fails: ['1,234,567.5', '1234567.5', '1.234.567', '1.2345.67,5', '-1.234.567,5'],
  },
  'number in Indian groups': {
    spec: { number: 1234567.5 },
    passes: ['12,34,567.5', '₹12,34,567.50', '12.345675 lakh', '1,234,567.5'],
    fails: ['12,34,56.75', '1,23,4567.5', '12,34,567', '1.234.567,5', '12,345,67.5'],
  },
  'the last number with its sign and scale': {
    spec: { number: -2_000, last: true },
    passes: ['5 then -2k', '3 - 5 = -2,000'],
    fails: ['-2k then 5', '5 then 2k', '10 minus 2000', '10 − 2000'],
  },
  'the last number, which is no part of a fraction, a power, a date or a range': {
    spec: { number: 5, last: true },
    passes: ['10 − 5 = 5', '5. Is 6 more?', 'from 3 to 5', '1, 2, 5', 'A4: 5'],
    fails: barred(`
      1/5 | 1⁄5 | \\frac{1}{5} | 2^{5} | 10⁵ | 2024-05-05 | 3-5 | 12:05 | 1.5×10^5 | 4 rather than 5
      4; it isn't 5
    `),
  },
  'zero that begins a number in another base': {
    spec: { number: 0 },
    passes: ['0', '-0.0'],
    fails: ['0x1F', '0b101', '0o17'],
  },
  'a fraction without a whole part where a comma is the decimal mark': {
    spec: { number: 0.5, decimal: 'comma' },
    passes: [',5', '0,5', '50 %'],
    fails: ['.5', '-,5', '5'],
  },
});
