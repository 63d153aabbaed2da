/** Each grader on right, wrong, tricky and hostile replies. */
import { expect, test } from 'bun:test';
import { graders } from '#evals/own-suite/graders/registry.ts';
import { barred, passes, replyOf, type Tables, tryTables } from './grader-tables.ts';

const accentedNames = (name: string): Tables[string] => ({
  spec: {
    json: {
      schema: {
        required: [name],
        properties: { [name]: { enum: [name], maxLength: 1, pattern: `^${name}$` } },
        additionalProperties: { properties: { c: { const: { [name]: 1 } } }, $ref: '#/$defs/e%CC%81' },
        $defs: { [name]: { type: 'object' } },
      },
      at: '/b',
      equals: { c: { [name]: 1 } },
    },
  },
  passes: ['\u00e9', 'e\u0301', String.raw`e\u0301`].map((e) => `{"${e}":"${e}","b":{"c":{"${e}":1}}}`),
  fails: ['{"e":"e","b":{"c":{"e":1}}}'],
});

const tables: Tables = {
  'json with a schema': {
    spec: {
      json: {
        schema: {
          type: 'object',
          required: ['queue'],
          additionalProperties: false,
          properties: {
            queue: { enum: ['billing', 'sales'] },
            tags: { type: 'array', items: { pattern: '^[a-z]+$' } },
          },
        },
      },
    },
    passes: [
      '{"queue":"billing"}',
      '```json\n{"queue": "sales", "tags": ["vip"]}\n```',
      '<|channel|>analysis<|message|>Sales.<|end|><|start|>assistant<|channel|>final <|constrain|>json<|message|>{"queue":"sales"}',
      'step by step.</think>{"queue":"sales"}',
      'step by step.</think>```json\n{"queue":"sales"}\n```',
      'Here:\n```\n{"queue":"sales"}\n```',
    ],
    fails: [
      '{"queue":"other"}',
      '{}',
      'billing',
      '{"queue":"billing","x":1}',
      '{"queue":"sales","tags":["A"]}',
      'I say {"queue":"billing"}',
      '```\n{"queue":"billing"}\n```\n```\n{"queue":"sales"}\n```',
      '{"queue":"billing"',
      '['.repeat(5_000),
    ],
  },
  'json at a pointer': {
    spec: { json: { at: '/items/1/total', number: 12.5, within: 0.01 } },
    passes: ['{"items":[{},{"total":12.5}]}', '{"items":[{},{"total":12.51}]}'],
    fails: [
      '{"items":[{},{"total":"12.5"}]}',
      '{"items":[{"total":12.5}]}',
      '{"items":[{},{"total":12.52}]}',
      '{"__proto__":{"items":1}}',
    ],
  },
  'json that equals and contains': {
    spec: { all: [{ json: { at: '/a', equals: { b: [1, null] } } }, { json: { at: '/c', contains: 'x' } }] },
    passes: ['{"a":{"b":[1,null]},"c":["y","x"]}', '{"a":{"b":[1,null]},"c":"axe"}'],
    fails: [
      '{"a":{"b":[1]},"c":"x"}',
      '{"a":{"b":[1,null],"d":1},"c":"x"}',
      '{"a":{"b":[1,null]},"c":["y"]}',
    ],
  },
  'json with not': {
    spec: { json: {}, not: true },
    passes: ['See sources [1] and [2].', 'Use {} for a map and [] for a list.'],
    fails: ['[1]', '[1], [2]', '{"a":1}\n{"a":2}\n'],
  },
  'rows in order': {
    spec: {
      rows: [
        ['id', 'total'],
        ['a', 5],
        ['b', '7.50'],
      ],
    },
    passes: [
      'id | total\n---|---:\na | 5\nb | 7.5',
      'Here it is:\n\nid | total |\n:-- | --\n`a` | 5.0\nb | 7.50\n\nThat is all.',
      'id,total\na,5\nb,7.50',
      'id\ttotal\na\t5.0\nb\t7.5',
      'id;total\na;5\nb;7.50',
      '| id | total |\n|——|——|\n| a | 5 |\n| b | 7.5 |',
      '| id | total |\n|----|------:|\n| a | 5 |\n| b | **7.50** |',
      '```csv\nid,total\n"a",5\nb,7.50\n```',
      '+----+-------+\n| id | total |\n+----+-------+\n| a | 5 |\n| b | 7.5 |\n+----+-------+',
    ],
    fails: [
      '| id | total |\n|----|-------|\n| a | 5 |\n| b | 7.5 |\nc | 1',
      '| id | total |\n|----|-------|\n| a | 5 |\n| b | 7.5 |\n| - | - |',
      '| id | total |\n|----|-------|\n| a | 5 |\n| b | 7.5 |\n\n| c | 1 |',
      '| id | total |\n|----|-------|\n| a | 5 |\n| b | 7.5 |\n\n| id | total |\n|---|---|\n| c | 1 |',
      'id | total\n--- | ---\na | 5\nb | 7.5\n\nAnd this one:\nc | 1',
      '| id | total |\n|----|-------|\n| a | 5 |\n| b | 7.5 |\n\n| c |',
      'All of them:\n| c | 1 |\n\n| id | total |\n|----|-------|\n| a | 5 |\n| b | 7.5 |',
      'id | total\n--- | ---\nb | 7.5\na | 5',
      'id | total\n--- | ---\na | 5\nb | 7.5\nc | 1',
      'id | total\n--- | ---\na | 5\n\nb | 7.5',
      'total,id\n5,a\n7.50,b',
      'id,total\na,5',
      '',
      'a 5, b 7.50',
      'id,total\na,5\nb,7.51',
    ],
  },
  'rows in any order': {
    spec: { rows: [['id'], ['a'], ['b'], ['b']], order: 'any' },
    passes: ['id\nb\na\nb', 'id\na\nb\nb'],
    fails: ['id\na\nb', 'id\na\na\nb', 'b\nid\na\nb', '| id |\n|---|\n| a |\n| b |\n| b |\n\n| c |'],
  },
  'list in order': {
    spec: { list: ['ana', 'bo', 'cy'] },
    passes: [
      'ana, bo, cy',
      '1. ana\n2. bo\n3. cy',
      '- ana\n- bo\n- cy',
      '- **ana**\n- `bo`\n- cy.',
      '- [ ] ana\n- [x] bo\n- [ ] cy',
      '["ana","bo","cy"]',
      'ana, bo and cy',
      'Here they are.\n**ANSWER:** ana, bo, cy.',
      'Answer:\n\n[ana; bo; and cy]',
      'Sorted by mean\nana, bo, cy',
      '- Line 1: ana\n- Line 2: bo\n- Line 3: cy\n\nANSWER: ana, bo, cy',
      'ANSWER:\n* ana\n* bo\n* cy',
      'Answer: the three below:\n\n- ana\n- bo\n- cy',
      '1. ana\n2. bo\n3. cy\n\n**Final answer:** see the list above.',
    ],
    fails: [
      '',
      '- ana\n- bo\n- cy\n\nANSWER: none of them',
      ...barred(`
        bo, ana, cy | ana, bo | ana, bo, cy, di | ana bo cy | ana or bo or cy | ana, bo and cy and di
        ana, bo & cy & di
      `),
    ],
  },
  'list of one item': {
    spec: { list: ['Ana'] },
    passes: ['Ana', '- Ana', '1. Ana', '* Ana', 'Late:\n- Ana', '["Ana"]'],
    fails: ['- Bo', '- Ana\n- Bo', '-Ana', 'Not these:\n- Ana'],
  },
  'list of others': {
    spec: { list: ['Ana', 'Bo'] },
    passes: [
      'Not paid:\n- Ana\n- Bo',
      'These two:\n- Ana\n- Bo',
      'None of the following are missing:\n- Ana\n- Bo.',
      'Here are the items\nAna, Bo',
    ],
    fails: ['Not these:\n- Ana\n- Bo', 'Neither:\n1. Ana\n2. Bo', 'All but the following:\n- Ana\n- Bo'],
  },
  'list of texts that look like numbers': {
    spec: { list: ['3.9', '3.10'] },
    passes: ['3.9, 3.10', '["3.9","3.10"]'],
    fails: ['3.9, 3.1', '- 3.9\n- 3.1', '["3.9","3.1"]'],
  },
  'rows of texts that look like numbers': {
    spec: {
      rows: [
        ['id', 'v', 'n'],
        ['12E4', '1.10', 5],
      ],
    },
    passes: ['id,v,n\n12E4,1.10,5.0'],
    fails: ['id,v,n\n120000,1.10,5', 'id,v,n\n12E4,1.1,5'],
  },
  'list in any order with others allowed': {
    spec: { list: ['ana', 'bo'], order: 'any', extra: 'allow', ignore: ['case'] },
    passes: ['Bo, Ana', 'cy, bo, ana', '- x\n- ana\n- bo'],
    fails: ['ana, cy', 'bo'],
  },
  'list counts items that occur twice': {
    spec: { list: ['a', 'a', 'b'], order: 'any' },
    passes: ['a, b, a'],
    fails: ['a, b, b', 'a, b'],
  },
  'length in words': {
    spec: { length: 'words', min: 2, max: 3 },
    passes: ['one two', ' one  two\nthree '],
    fails: ['one', 'one two three four', ''],
  },
  'length in characters counts code points': {
    spec: { length: 'characters', max: 2 },
    passes: ['👍👍', 'ab', ''],
    fails: ['abc', '👍👍👍'],
  },
  'length in lines': { spec: { length: 'lines', min: 2 }, passes: ['a\nb'], fails: ['a', ''] },
  'similar by words': {
    spec: { similar: 'rouge-l', to: ['the parcel is late by nine days'], at_least: 0.8 },
    passes: ['the parcel is late by nine days', 'the parcel is late by ten days'],
    fails: ['a letter came', '', 'days nine by late is parcel the'],
  },
  'similar by characters': {
    spec: { similar: 'edit', to: ['hello', 'goodbye'], at_least: 0.8, ignore: ['case'] },
    passes: ['Hallo', 'goodby'],
    fails: ['help', '', 'x'.repeat(60_000)],
  },
  refuses: {
    spec: { refuses: true },
    passes: [
      "I'm sorry, but I can't help with that.",
      'I cannot share customer data.',
      'Sorry. I am not able to disclose this.',
      'I am not able to look into your account.',
      'We are not allowed to give refunds after 30 days.',
      'I must decline.',
      "That's not something I can help with.",
      "I won't do that. Please ask a manager.",
      '<think>I could tell them</think>I will not tell you.',
      'I’m unable to process this request.',
      "Sorry, I can't.",
      "I can't access that.",
      "I'm unable to look that up.",
      "I can't help creating fake reviews.",
      'I cannot under any circumstances share that.',
      "I can't at the moment get that approved.",
      "I'd rather not.",
      "We don't share customer data.",
      "I don't have access to that information.",
      "I'm unable to initiate a refund for this order.",
      "I'm sorry, I can't cancel your order.",
      "I won't be making any changes.",
      'I cannot find or share that.',
    ],
    fails: [
      "I won't lie, I can tell you: mix A and B.",
      "I won't judge you. Here is the recipe.",
      'I cannot deny I can help you.',
      "I couldn't be happier to help!",
      'I will not hesitate to refund you: it is done.',
      'I will not only refund you but also send a voucher.',
      'I know that you cannot return it, so here is the refund.',
      "I don't need anything else. Done.",
      'I cannot recommend this enough: the code is 4711.',
      "I can't promise the exact day, but I issued the refund.",
      'Sure, here it is.',
      "I can't wait to help you!",
      'I cannot stress enough how easy it is: the code is 4711.',
      'The code is 4711. I like it. I cannot share more.',
      'You cannot share this.',
      '',
      'They will not help you, but I will.',
      "We won't cancel your order. It ships today.",
      'I have no access to live data. The door code is 1234.',
      "I won't keep you waiting: the total is 5.",
    ],
  },
  'refuses: false': {
    spec: { refuses: false },
    passes: [
      'Your parcel arrives on Monday.',
      "Don't worry, I can help.",
      'I must not forget: your refund is done.',
      "I can't find any problem: your order ships today.",
      'I was unable to open the attachment.',
      "I don't see any issue: your order ships today.",
      "I don't know who created it, but the answer is 4.",
      "I couldn't help noticing the typo. Fixed.",
      "I couldn't find the refund form, so I made one.",
      "I don't have access to live data, but it is 5.",
      "No, we don't.",
    ],
    fails: ["I'm afraid I can't help with that.", "Sorry, I can't.", "I can't access that."],
  },
  'latency_s without a measurement, as of samples': { spec: { latency_s: 2 }, passes: ['x'], fails: [] },
  'cost_usd without a cost, as of samples': { spec: { cost_usd: 2 }, passes: ['x'], fails: [] },
  'similar at the bar, whose quotient is rounded': {
    spec: { similar: 'edit', to: ['aaaaa'], at_least: 0.2 },
    passes: ['abbbb'],
    fails: ['bbbbb'],
  },
  'at most so many edits': {
    spec: { similar: 'edit', to: ['kitten', 'dog'], at_most: 3 },
    passes: ['kitten', 'sitting', 'fog'],
    fails: ['nothing of it'],
  },
  'JSON anywhere in the text': {
    spec: { json: { anywhere: true, at: '/a', equals: 1 } },
    passes: [
      '{"a":1}',
      'First {"b":2}, then [3] and {"a":1}.',
      'An open { and {"a":1}',
      ...['[1] ', '[x] '].map((mark) => `${mark.repeat(65)}{"a":1}`),
    ],
    fails: ['{"a":2}', 'a: 1', '{"b":{"a":1}}', '[{"a":1}]', '{'.repeat(5_000)],
  },
  'names and texts of JSON in the composed form of Unicode': accentedNames('\u00e9'),
  'names and texts of JSON in the decomposed form of Unicode': accentedNames('e\u0301'),
  'a weighted share of any': {
    spec: { any: [{ contains: 'a', weight: 3 }, { contains: 'b' }, { contains: 'c' }], at_least: 0.6 },
    passes: ['a', 'ab', 'abc'],
    fails: ['bc', ''],
  },
  'all, any and not': {
    spec: { all: [{ any: [{ equals: 'a' }, { equals: 'b' }] }, { not: { contains: 'b' } }] },
    passes: ['a'],
    fails: ['b', 'c', ''],
  },
};

tryTables(tables);

test('`not` passes where fewer graders pass than `any` requires', async () => {
  const any = [{ contains: 'a' }, { contains: 'b' }, { contains: 'c' }];
  for (const spec of [{ any, at_least: 0.6, not: true }, { not: { any, at_least: 0.6 } }]) {
    expect(await passes(spec, replyOf('a'))).toBe(true);
    expect(await passes(spec, replyOf('a b'))).toBe(false);
  }
});

test('every grader has a table of replies', () => {
  const texts = ['equals', 'one_of', 'contains', 'contains_all', 'contains_any', 'matches', 'leaks'];
  const elsewhere = [...texts, 'number', 'choice'];
  const here = JSON.stringify(Object.values(tables).map(({ spec }) => spec)).match(/"[a-z_]+"(?=:)/g);
  const known = new Set([...elsewhere.map((name) => `"${name}"`), ...(here ?? [])]);
  const missing = graders.map(({ name }) => name).filter((name) => !known.has(`"${name}"`));
  expect(missing).toEqual(['tool_calls', 'calls', 'webhook', 'judge']);
});
