/** The graders of numbers on right, wrong, tricky and hostile replies. */
import { type Table, tryTables } from './grader-tables.ts';

const tables: readonly Table[] = [
  {
    title: 'number',
    spec: { number: 25.88, within: 0.005 },
    passes: ['25.88', '25.88 EUR', 'It is 25.885.', '25.875', '€25.88', 'EUR25.88'.replace('EUR', 'EUR ')],
    fails: ['25.8851', '25.8749', '25.88.1', '-25.88', '25,88', 'between 25.88 and 26', '', 'none', '2588'],
  },
  {
    title: 'number reads groups, units and signs',
    spec: { number: -1234.5 },
    passes: ['-1,234.5', '−1234.5 points', 'The balance is -1 234.5'],
    fails: ['1,234.5', '-1,23,4.5', '-12345', 'account-1234.5'],
  },
  {
    title: 'number with within_percent has inclusive bounds',
    spec: { number: 205, within_percent: 10 },
    passes: ['About 205 pieces', '184.5', '225.5'],
    fails: ['184.49', '225.51', '205 of 300'],
  },
  {
    title: 'number takes the last of several if told so',
    spec: { number: 7, last: true },
    passes: ['3 + 4 = 7', '<think>8 or 9</think>5 then 7'],
    fails: ['7 or 8', 'seven'],
  },
  {
    title: 'number ignores digits inside words',
    spec: { number: 7 },
    passes: ['v2 says 7', 'A4: 7'],
    fails: ['7 7', 'b7'],
  },
  {
    title: 'a number that json contains is no part of another',
    spec: { json: { at: '/a', contains: 5 } },
    passes: ['{"a":[4,5.0]}', '{"a":"order 5"}', '{"a":"5"}'],
    fails: ['{"a":"15"}', '{"a":"5.5"}', '{"a":["5"]}', '{"a":5}', '{"a":"A5"}'],
  },
  {
    title: 'json contains true only in a list',
    spec: { json: { at: '/a', contains: true } },
    passes: ['{"a":[true]}'],
    fails: ['{"a":"untrue"}', '{"a":["true"]}', '{"a":true}'],
  },
  {
    title: 'json with numbers that JavaScript would round',
    spec: { json: { at: '/a', equals: [{ $number: '9007199254740993' }, 0.1, -0] } },
    passes: ['{"a":[9007199254740993,0.1,0]}', '{"a":[9007199254740993.0,1e-1,0.00]}'],
    fails: [
      '{"a":[9007199254740992,0.1,0]}',
      '{"a":[9007199254740994,0.1,0]}',
      '{"a":[9007199254740993,0.10000000000000001,0]}',
      '{"a":[{"$number":"9007199254740992"},0.1,0]}',
    ],
  },
  {
    title: 'json whose number is near one that JavaScript would round',
    spec: { json: { at: '', number: { $number: '9007199254740993' }, within: 1 } },
    passes: ['9007199254740992', '9007199254740994'],
    fails: ['9007199254740991', '9007199254740995', '"9007199254740993"', '1e400'],
  },
  {
    title: 'number of more digits than JavaScript keeps',
    spec: { number: { $number: '9007199254740993' } },
    passes: ['9007199254740993', 'It is 9,007,199,254,740,993.'],
    fails: ['9007199254740992', '9007199254740994'],
  },
  {
    title: 'rows and lists of numbers that JavaScript would round',
    spec: { any: [{ rows: [['id'], [{ $number: '9007199254740993' }]] }, { list: [1, 2.5] }] },
    passes: ['id\n9007199254740993', '[1.0, 2.50]', '- 1\n- 2.50'],
    fails: ['id\n9007199254740992', '[1, 2.5000000000000001]', '- 01\n- 2.5'],
  },
];

tryTables(tables);
