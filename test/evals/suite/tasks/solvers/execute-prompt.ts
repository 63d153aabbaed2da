/** Carries out the tasks of the category execution from their prompts, without the code that generated them. */

type Answer = string | readonly string[];

export function executePrompt(prompt: string): Answer {
  const steps = [...prompt.matchAll(/^\d+\. (.*)\.$/gm)].map((match) => match[1] ?? '');
  if (/balance of/.test(prompt)) return runLedger(prompt, steps);
  if (prompt.startsWith('Start with the number')) return runChain(prompt, steps);
  if (/sit in a row/.test(prompt)) return runSeats(prompt, steps);
  if (/boxes hold/.test(prompt)) return runBoxes(prompt, steps);
  if (/total of the amounts/.test(prompt)) return runColumn(prompt);
  const [one = '0', two = '0'] = prompt.match(/\d{3,}/g) ?? [];
  return String(BigInt(one) * BigInt(two));
}

/** Follows an "if … , … ; otherwise …" sentence to the plain step that counts. */
function choose(step: string, isTrue: (condition: string) => boolean): string {
  const match = /^if (.*?), (.*); otherwise (.*)$/i.exec(step);
  if (match === null) return step;
  return (isTrue(match[1] ?? '') ? match[2] : match[3]) ?? '';
}

function numbersIn(text: string): number[] {
  return (text.match(/\d+/g) ?? []).map(Number);
}

function runLedger(prompt: string, steps: readonly string[]): string {
  const lines = [...prompt.matchAll(/^(\p{Lu}\p{L}+): (\d+)$/gmu)];
  const accounts = new Map(lines.map((line) => [line[1] ?? '', Number(line[2])]));
  const of = (name: string) => accounts.get(name) ?? Number.NaN;
  for (const whole of steps) {
    const step = choose(whole, (condition) => {
      const [one = '', two = ''] = condition.split(' has more than ');
      return of(one) > of(two);
    });
    const names = step.match(/\p{Lu}\p{L}{3,}/gu) ?? [];
    const [first = '', second = ''] = names;
    const [amount = 0] = numbersIn(step);
    const pay = (from: string, to: string | null) => {
      if (of(from) < amount) return;
      accounts.set(from, of(from) - amount);
      if (to !== null) accounts.set(to, of(to) + amount);
    };
    if (step.endsWith(' swap balances')) {
      const kept = of(first);
      accounts.set(first, of(second)).set(second, kept);
    } else if (/ gives half /.test(step)) {
      const half = Math.floor(of(first) / 2);
      accounts.set(first, of(first) - half).set(second, of(second) + half);
    } else if (/ receives | is paid in to /.test(step)) accounts.set(first, of(first) + amount);
    else if (/ pays a bill of | is withdrawn from /.test(step)) pay(first, null);
    else if (/ pays | goes from /.test(step)) pay(first, second);
    else throw new Error(`Not a ledger entry: ${step}`);
  }
  return String(of(/balance of (\p{L}+) after/u.exec(prompt)?.[1] ?? ''));
}

function runChain(prompt: string, steps: readonly string[]): string {
  const [start = 0, modulus = 1] = numbersIn(prompt);
  let value = start;
  for (const whole of steps) {
    const step = choose(whole, (condition) =>
      condition === 'it is even' ? value % 2 === 0 : value > (numbersIn(condition)[0] ?? 0),
    );
    const [by = 0] = numbersIn(step);
    if (/^(?:add|increase)/i.test(step)) value += by;
    else if (/^(?:subtract|take away)/i.test(step)) value -= by;
    else if (/^(?:multiply|make it)/i.test(step)) value *= by;
    else if (/^write its digits/i.test(step)) value = Number(String(value).split('').toReversed().join(''));
    else throw new Error(`Not a step: ${step}`);
    value = value < 0 ? value + modulus : value % modulus;
  }
  return String(value);
}

function runSeats(prompt: string, steps: readonly string[]): string[] {
  const row = (/at the back: (.*)\./.exec(prompt)?.[1] ?? '').split(', ');
  const swap = (one: number, two: number) => {
    const kept = row[one] ?? '';
    row[one] = row[two] ?? '';
    row[two] = kept;
  };
  for (const whole of steps) {
    const step = choose(whole, (condition) => {
      const [one = '', two = ''] = condition.split(' is ahead of ');
      return row.indexOf(one) < row.indexOf(two);
    });
    const names = row
      .filter((name) => step.includes(name))
      .toSorted((one, two) => step.indexOf(one) - step.indexOf(two));
    const [one = 0, two = 0] = numbersIn(step);
    if (/^seats/i.test(step)) swap(one - 1, two - 1);
    else if (step.endsWith(' swap')) swap(row.indexOf(names[0] ?? ''), row.indexOf(names[1] ?? ''));
    else if (step.endsWith('rotates')) row.unshift(row.pop() ?? '');
    else {
      row.splice(row.indexOf(names[0] ?? ''), 1);
      if (step.endsWith('front')) row.unshift(names[0] ?? '');
      else row.push(names[0] ?? '');
    }
  }
  return row;
}

function runBoxes(prompt: string, steps: readonly string[]): string[] {
  const lines = [...prompt.matchAll(/^- (\w+): (.*)$/gm)];
  const boxes = new Map(
    lines.map((line) => [line[1] ?? '', line[2] === 'nothing' ? [] : (line[2] ?? '').split(', ')]),
  );
  const of = (name: string) => boxes.get(name) ?? [];
  for (const whole of steps) {
    const step = choose(whole, (condition) => {
      const [, thing = '', box = ''] = /^the (\w+) is in the (\w+) box$/.exec(condition) ?? [];
      return of(box).includes(thing);
    });
    const [from = '', to = ''] = [...step.matchAll(/the (\w+) box/gi)].map((match) => match[1] ?? '');
    if (step.endsWith('swap contents')) {
      const kept = of(from);
      boxes.set(from, of(to)).set(to, kept);
    } else if (/^everything/i.test(step)) {
      of(to).push(...of(from).splice(0));
    } else if (/^what was put last/i.test(step)) {
      const last = of(from).pop();
      if (last !== undefined) of(to).push(last);
    } else {
      const [, thing = ''] = /^the (\w+) goes into/i.exec(step) ?? [];
      const home = [...boxes.values()].find((content) => content.includes(thing));
      home?.splice(home.indexOf(thing), 1);
      of(from).push(thing);
    }
  }
  return of(/What is in the (\w+) box/.exec(prompt)?.[1] ?? '');
}

function runColumn(prompt: string): string {
  const skip = Number(/\(lines (\d+),/.exec(prompt)?.[1]);
  const lines = [...prompt.matchAll(/^(\d+)( [*-])?$/gm)];
  let total = 0;
  for (const [index, [, amount = '', mark = '']] of lines.entries()) {
    if ((index + 1) % skip === 0) continue;
    total += Number(amount) * (mark === ' *' ? 2 : mark === ' -' ? -1 : 1);
  }
  return String(total);
}
