/** Solves the tasks of arithmetic, text and reasoning from their prompts only, as a target has to. */
import { describe, expect, test } from 'bun:test';
import { generateCases, gradeReply } from '#domain/eval-suite/index.ts';
import { drawSeeds } from './draw-seeds.ts';

const cases = drawSeeds('prompts', 120).flatMap((seed) => generateCases(seed));

/** Checks that `solve` returns the expected answer for every case of the kind. */
function solves(kind: string, solve: (prompt: string) => string): void {
  test(`${kind}: a solver that reads only the prompt agrees with the generator`, () => {
    const own = cases.filter((evalCase) => evalCase.kind === kind);
    expect(own.length).toBeGreaterThan(20);
    for (const { prompt, expected } of own)
      expect({ prompt, answer: solve(prompt) }).toEqual({ prompt, answer: expected });
  });
}

/** The prompt without the paragraph on the answer format. */
function task(prompt: string): string {
  return prompt.split('\n\n').slice(0, -1).join('\n\n');
}

describe('arithmetic', () => {
  solves('chain', (prompt) => {
    const sentences = task(prompt).split(/(?<=[.?]) /);
    let stock = Number(/\d+/.exec(sentences.find((sentence) => /\d/.test(sentence))!)![0]);
    const first = sentences.findIndex((sentence) => /\d/.test(sentence));
    for (const sentence of sentences.slice(first + 1)) {
      const amount = Number(/\d+/.exec(sentence)?.[0] ?? Number.NaN);
      if (Number.isNaN(amount)) continue;
      if (/evenly over|shared out equally/.test(sentence)) stock /= amount;
      else if (/times/.test(sentence)) stock *= amount;
      else if (/sold|takes|spoil/.test(sentence)) stock -= amount;
      else stock += amount;
      expect(Number.isInteger(stock) && stock > 0).toBe(true);
    }
    return String(stock);
  });

  solves('units', (prompt) => {
    const ratios = [...prompt.matchAll(/one (\w+) is (\d+) (\w+)s/g)].map(
      ([, large = '', ratio, small = '']) => ({ large, ratio: Number(ratio), small }),
    );
    const asked = /How many (\w+)s are|weight in (\w+)s\./.exec(prompt)!;
    const smallest = asked[1] ?? asked[2]!;
    const worth = (unit: string): number => {
      if (unit === smallest) return 1;
      const rule = ratios.find(({ large }) => large === unit)!;
      return rule.ratio * worth(rule.small);
    };
    const measure = /are (\d.*)\?|weighs (.*?)\./.exec(prompt)!;
    const parts = (measure[1] ?? measure[2]!).split(/ \+ | and /);
    const known = new Set([...ratios.map(({ large }) => large), smallest]);
    return String(
      parts.reduce((sum, part) => {
        const [amount = '', name = ''] = part.split(' ');
        return sum + Number(amount) * worth(known.has(name) ? name : name.slice(0, -1));
      }, 0),
    );
  });
});

describe('text', () => {
  solves('sort', (prompt) => {
    const words =
      /(?:: |words: )([a-z]+(?:, [a-z]+)+)\./.exec(prompt)?.[1]?.split(', ') ??
      prompt.split('\n\n')[1]!.split('\n');
    const key = (word: string): string => {
      const length = String(word.length).padStart(3, '0');
      const reverseLength = String(500 - word.length);
      if (/shortest first/.test(prompt)) return length + word;
      if (/longest first/.test(prompt)) return reverseLength + word;
      return /last letter/.test(prompt) ? word.slice(-1) + word : word;
    };
    const keyed = words.map((word) => ({ word, key: key(word) }));
    for (let end = keyed.length; end > 1; end -= 1)
      for (let at = 1; at < end; at += 1)
        if (keyed[at - 1]!.key > keyed[at]!.key) [keyed[at - 1], keyed[at]] = [keyed[at]!, keyed[at - 1]!];
    const sorted = keyed.map(({ word }) => word);
    return (/from z to a/.test(prompt) ? sorted.toReversed() : sorted).join(', ');
  });

  solves('count', (prompt) => {
    const line = prompt.split('\n\n').find((part) => /^[a-z]+(?: [a-z]+){10,}$/.test(part))!;
    const words = line.split(' ');
    const letter = /letter "(\w)"/.exec(prompt)?.[1];
    const word = /word "(\w+)"/.exec(prompt)?.[1];
    const length = /more than (\d+) letters/.exec(prompt)?.[1];
    if (length !== undefined) return String(words.filter((other) => other.length > Number(length)).length);
    if (word !== undefined) return String(words.filter((other) => other === word).length);
    return String(
      /at least once/.test(prompt)
        ? words.filter((other) => other.includes(letter!)).length
        : line.split(letter!).length - 1,
    );
  });

  solves('reverse', (prompt) => {
    const line = /The line: (.+)/.exec(prompt)?.[1] ?? prompt.split('\n\n')[1]!;
    const backwards = (text: string) => text.split('').toReversed().join('');
    if (/words of the line in reverse order/.test(prompt)) return line.split(' ').toReversed().join(' ');
    return /each word of the line backwards/.test(prompt)
      ? line.split(' ').map(backwards).join(' ')
      : backwards(line);
  });

  solves('deduplicate', (prompt) => {
    const words = prompt.split('\n\n')[1]!.split(', ');
    const same = (left: string, right: string) =>
      /upper and lower case/.test(prompt) ? left.toLowerCase() === right.toLowerCase() : left === right;
    const last = /keep only the last/.test(prompt);
    return words
      .filter(
        (word, at) => !(last ? words.slice(at + 1) : words.slice(0, at)).some((other) => same(other, word)),
      )
      .join(', ');
  });

  solves('edit', (prompt) => {
    const words = /Line: (.+)/.exec(prompt)![1]!.split(' ');
    for (const [, step = ''] of prompt.matchAll(/^\d+\. (.+)$/gm)) {
      const [first = 0, second = 0] = (step.match(/\d+/g) ?? []).map((position) => Number(position) - 1);
      const word = /"(\w+)"/.exec(step)?.[1] ?? '';
      if (step.startsWith('Replace')) words[first] = word;
      else if (step.startsWith('Swap')) [words[first], words[second]] = [words[second]!, words[first]!];
      else if (step.startsWith('Delete')) words.splice(first, 1);
      else if (/capital letters/.test(step)) words[first] = words[first]!.toUpperCase();
      else if (/at the end/.test(step)) words.push(word);
      else if (/before the first/.test(step)) words.unshift(word);
      else if (/to the front/.test(step)) words.unshift(words.pop()!);
      else if (/twice in a row/.test(step)) words.splice(first, 0, words[first]!);
      else throw new Error(`Nobody knows how to "${step}".`);
    }
    return words.join(' ');
  });
});

describe('reasoning', () => {
  solves('object-tracking', (prompt) => {
    const held = new Map(
      [...prompt.matchAll(/(\w+) holds the (\w+)[,.]/g)].map(([, person = '', thing = '']) => [
        person,
        thing,
      ]),
    );
    for (const sentence of task(prompt)
      .split('\n\n')[0]!
      .split(/(?<=\.) /)
      .slice(1)) {
      const people = sentence.split(/\W+/).filter((word) => held.has(word));
      const [first = '', second = ''] = people;
      if (sentence.startsWith('At the same moment')) {
        const [one = '', two = '', , three = ''] = people;
        const things = [one, two, three].map((person) => held.get(person)!);
        held.set(two, things[0]!).set(three, things[1]!).set(one, things[2]!);
      } else {
        const things = [held.get(first)!, held.get(second)!];
        held.set(first, things[1]!).set(second, things[0]!);
      }
    }
    const person = /What does (\w+) hold/.exec(prompt)?.[1];
    if (person !== undefined) return held.get(person)!;
    const thing = /Who holds the (\w+) at the end/.exec(prompt)![1];
    return [...held].find(([, other]) => other === thing)![0];
  });

  solves('critical-path', (prompt) => {
    const parts = new Map(
      [...prompt.matchAll(/^- (\w+) takes (\d+) days; (.+)\.$/gm)].map(
        ([, name = '', days, condition = '']) => [
          name,
          {
            days: Number(days),
            after: /before (.+) (?:is|are) finished/.exec(condition)?.[1]?.split(' and ') ?? [],
          },
        ],
      ),
    );
    const finish = (name: string): number => {
      const part = parts.get(name)!;
      return part.days + part.after.reduce((latest, other) => Math.max(latest, finish(other)), 0);
    };
    return String([...parts.keys()].reduce((latest, name) => Math.max(latest, finish(name)), 0));
  });

  solves('shortest-path', (prompt) => {
    const roads = prompt.split('\n').flatMap((line) => {
      const road =
        /^(\w+) and (\w+) are (\d+) km/.exec(line) ??
        /^The road between (\w+) and (\w+) is (\d+) km/.exec(line) ??
        (line.startsWith('A road of')
          ? [null, .../joins (\w+) and (\w+)/.exec(line)!.slice(1), /\d+/.exec(line)![0]]
          : null);
      return road === null ? [] : [{ ends: [road[1]!, road[2]!], length: Number(road[3]) }];
    });
    const [, start = '', goal = ''] = /from (\w+) to (\w+)/.exec(prompt)!;
    const queue = [{ way: [start], length: 0 }];
    for (;;) {
      queue.sort((left, right) => left.length - right.length);
      const { way, length } = queue.shift()!;
      if (way.at(-1) === goal) return way.join(', ');
      for (const road of roads.filter(({ ends }) => ends.includes(way.at(-1)!))) {
        const next = road.ends.find((end) => end !== way.at(-1))!;
        if (!way.includes(next)) queue.push({ way: [...way, next], length: length + road.length });
      }
    }
  });
});

describe('structured output', () => {
  test('template: filling it in by its own rules gives the expected lines', () => {
    for (const evalCase of cases.filter((one) => one.kind === 'template')) {
      const data = new Map(
        evalCase.prompt
          .split('\n\nData:\n')[1]!
          .split('\n\nTemplate:\n')[0]!
          .split('\n')
          .map((line) => line.split(' = ') as [string, string]),
      );
      const template = evalCase.prompt.split('\n\nTemplate:\n')[1]!.split('\n\nReply with')[0]!.split('\n');
      const output: string[] = [];
      const fill = (line: string, item = '') =>
        line.replaceAll(
          /\\?\{\{(\w+)(\|\w+)?\}\}/g,
          (whole: string, name: string, filter: string | undefined) => {
            if (whole.startsWith('\\')) return whole.slice(1);
            const value = name === 'item' ? item : data.get(name)!;
            if (filter === '|upper') return value.toUpperCase();
            return filter === '|reverse' ? value.split('').toReversed().join('') : value;
          },
        );
      for (let at = 0; at < template.length; at += 1) {
        const block = /^\{\{([#?])(\w+)\}\}$/.exec(template[at]!);
        if (block === null) {
          output.push(fill(template[at]!));
          continue;
        }
        const end = template.indexOf(`{{/${block[2]!}}}`, at);
        const body = template.slice(at + 1, end);
        const value = data.get(block[2]!)!;
        if (block[1] === '#')
          for (const item of value.split(', ')) output.push(...body.map((line) => fill(line, item)));
        else if (value === 'true') output.push(...body.map((line) => fill(line)));
        at = end;
      }
      expect(gradeReply(evalCase, output.join('\n'))).toMatchObject({ score: 1 });
    }
  });

  test('csv: writing the notes as CSV gives the expected records', () => {
    for (const evalCase of cases.filter((one) => one.kind === 'csv')) {
      const sales = [...evalCase.prompt.matchAll(/^- (.+)$/gm)].map(([, note = '']) => {
        const item = /\[(.+)\]/.exec(note)![1]!;
        const rest = note.replace(`[${item}]`, '');
        const sold = /^(\w+) sold (\d+) of the article {2}at (\d+)/.exec(rest);
        const [, seller = '', quantity, price] = sold ?? [
          '',
          /by (\w+)/.exec(rest)![1]!,
          /: (\d+) were/.exec(rest)![1],
          /price (\d+)/.exec(rest)![1],
        ];
        return { item, seller, quantity: Number(quantity), price: Number(price) };
      });
      sales.sort((left, right) =>
        evalCase.prompt.includes('largest first')
          ? right.quantity - left.quantity
          : left.quantity - right.quantity,
      );
      const field = (text: string) => (/[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
      const rows = sales.map(
        ({ item, seller, quantity, price }) =>
          `${field(item)},${seller},${quantity},${price},${quantity * price}`,
      );
      expect(gradeReply(evalCase, ['item,seller,quantity,price,total', ...rows].join('\r\n'))).toMatchObject({
        score: 1,
      });
    }
  });
});
