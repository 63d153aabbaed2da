/** Arithmetic, ledgers and state tracking: reads the steps and carries them out. */
import { answer, linesOf, mentions, ordinal, stepsOf } from './text-tools.ts';

function applyStep(value: number, step: string): number {
  const amount = Number(/\d+/.exec(step)?.[0] ?? '0');
  const lower = step.toLowerCase();
  if (/^(add|increase)/.test(lower)) return value + amount;
  if (/^(subtract|take away|decrease|reduce|lower)/.test(lower)) return value - amount;
  if (/^(multiply|make it \d+ times)/.test(lower)) return value * amount;
  if (lower.startsWith('double')) return value * 2;
  if (lower.startsWith('write its digits in reverse'))
    return Number(String(value).split('').toReversed().join(''));
  return value;
}

function calculation(text: string): string | undefined {
  const head =
    /Start with the number (\d+)[\s\S]*?(\d+) or more, go on with its remainder after division by (\d+)/.exec(
      text,
    );
  if (!head) return undefined;
  const modulus = Number(head[3]);
  let value = Number(head[1]);
  for (const step of stepsOf(text)) {
    const choice = /^If it is (.+?), (.+?); otherwise (.+)\.$/.exec(step);
    let action = step;
    if (choice) {
      const [, condition = '', yes = '', no = ''] = choice;
      const limit = Number(/\d+/.exec(condition)?.[0] ?? '0');
      const even = value % 2 === 0;
      const holds =
        condition === 'even'
          ? even
          : condition === 'odd'
            ? !even
            : /less|smaller|below/.test(condition)
              ? value < limit
              : value > limit;
      action = holds ? yes : no;
    }
    value = applyStep(value, action);
    value = ((value % modulus) + modulus) % modulus;
  }
  return answer(value);
}

function listTotal(text: string): string | undefined {
  if (!/counts twice/.test(text)) return undefined;
  const skipped = ordinal(/every (\w+) line/.exec(text)?.[1] ?? '');
  let total = 0;
  let row = 0;
  for (const line of linesOf(text)) {
    const match = /^(\d+)(?: ([*-]))?$/.exec(line);
    if (!match) continue;
    row += 1;
    if (skipped > 1 && row % skipped === 0) continue;
    total += Number(match[1]) * (match[2] === '*' ? 2 : match[2] === '-' ? -1 : 1);
  }
  return answer(total);
}

export function arithmetic(text: string): string | undefined {
  const product = /(\d+) times (\d+)|product of (\d+) and (\d+)/.exec(text);
  if (product && !/carry out the steps/.test(text)) {
    return answer(BigInt(product[1] ?? product[3] ?? '0') * BigInt(product[2] ?? product[4] ?? '0'));
  }
  return calculation(text) ?? listTotal(text);
}

function bookEntry(balances: Map<string, number>, entry: string): void {
  const [first = '', second = ''] = mentions(entry, [...balances.keys()]);
  const amount = Number(/\d+/.exec(entry)?.[0] ?? '0');
  const has = (name: string): number => balances.get(name) ?? 0;
  const move = (from: string, to: string, sum: number): void => {
    if (from && has(from) < sum) return;
    if (from) balances.set(from, has(from) - sum);
    if (to) balances.set(to, has(to) + sum);
  };
  if (/swap/.test(entry)) {
    const kept = has(first);
    balances.set(first, has(second));
    balances.set(second, kept);
  } else if (/half of its balance/.test(entry)) move(first, second, Math.floor(has(first) / 2));
  else if (/paid in to|receives/.test(entry)) move('', first, amount);
  else if (/pays a bill|withdrawn/.test(entry)) move(first, '', amount);
  else move(first, second, amount);
}

export function ledger(text: string): string | undefined {
  const asked = /What is the balance of (\w+) after entry/.exec(text)?.[1];
  if (!asked) return undefined;
  const balances = new Map<string, number>();
  for (const match of text.matchAll(/^([A-Z]\w+): (\d+)$/gm)) balances.set(match[1] ?? '', Number(match[2]));
  for (const entry of stepsOf(text)) {
    const choice = /^If (\w+) has (more|less) than (\w+), (.+?); otherwise (.+)$/.exec(entry);
    if (!choice) {
      bookEntry(balances, entry);
      continue;
    }
    const gap = (balances.get(choice[1] ?? '') ?? 0) - (balances.get(choice[3] ?? '') ?? 0);
    const holds = choice[2] === 'more' ? gap > 0 : gap < 0;
    bookEntry(balances, (holds ? choice[4] : choice[5]) ?? '');
  }
  return answer(balances.get(asked) ?? 0);
}

function moveRow(row: string[], step: string): void {
  const seats = /[Ss]eats (\d+) and (\d+) swap/.exec(step);
  const named = mentions(step, row);
  const swap = (a: number, b: number): void => {
    const kept = row[a] ?? '';
    row[a] = row[b] ?? '';
    row[b] = kept;
  };
  if (seats) swap(Number(seats[1]) - 1, Number(seats[2]) - 1);
  else if (/row rotates/.test(step)) row.unshift(row.pop() ?? '');
  else if (/swap/.test(step)) swap(row.indexOf(named[0] ?? ''), row.indexOf(named[1] ?? ''));
  else if (named[0]) {
    row.splice(row.indexOf(named[0]), 1);
    if (/to the front/.test(step)) row.unshift(named[0]);
    else row.push(named[0]);
  }
}

export function seats(text: string): string | undefined {
  const start = /sit in a row, .*: (.*)\.$/m.exec(text)?.[1];
  if (!start) return undefined;
  const row = start.split(', ');
  for (const step of stepsOf(text)) {
    const choice = /^If (\w+) is (ahead of|behind) (\w+), (.+?); otherwise (.+)$/.exec(step);
    if (!choice) {
      moveRow(row, step);
      continue;
    }
    const ahead = row.indexOf(choice[1] ?? '') < row.indexOf(choice[3] ?? '');
    moveRow(row, (ahead === (choice[2] === 'ahead of') ? choice[4] : choice[5]) ?? '');
  }
  return answer(row.join(', '));
}

type Boxes = Map<string, string[]>;

function moveThings(boxes: Boxes, step: string): void {
  const [from = '', to = ''] = [...step.matchAll(/the (\w+) box/gi)].map((match) => match[1] ?? '');
  const source = boxes.get(from);
  if (/swap/.test(step)) {
    boxes.set(from, boxes.get(to) ?? []);
    boxes.set(to, source ?? []);
  } else if (/was put (last|first)/.test(step)) {
    const thing = /put last/.test(step) ? source?.pop() : source?.shift();
    if (thing) boxes.get(to)?.push(thing);
  } else if (/verything from/.test(step)) {
    boxes.get(to)?.push(...(source?.splice(0) ?? []));
  } else {
    const thing = /the (\w+) goes into/i.exec(step)?.[1] ?? '';
    for (const content of boxes.values()) {
      const at = content.indexOf(thing);
      if (at >= 0) content.splice(at, 1);
    }
    source?.push(thing);
  }
}

export function boxes(text: string): string | undefined {
  const asked = /What is in the (\w+) box after step/.exec(text)?.[1];
  if (!asked) return undefined;
  const state: Boxes = new Map();
  for (const match of text.matchAll(/^- (\w+): (.*)$/gm)) {
    state.set(match[1] ?? '', /^(nothing|empty)/.test(match[2] ?? '') ? [] : (match[2] ?? '').split(', '));
  }
  for (const step of stepsOf(text)) {
    const choice = /^If the (\w+) is in the (\w+) box, (.+?); otherwise (.+)$/.exec(step);
    const holds = choice ? (state.get(choice[2] ?? '') ?? []).includes(choice[1] ?? '') : true;
    moveThings(state, choice ? ((holds ? choice[3] : choice[4]) ?? '') : step);
  }
  return answer((state.get(asked) ?? []).join(', '));
}
