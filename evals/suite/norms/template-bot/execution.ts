import { type Messages, count, userTexts } from './text.ts';

const name = '([A-Z][a-z]+)';
const steps = (text: string): string[] =>
  [...text.matchAll(/^\s*\d+[.)] (.+?)\.?$/gm)].map(([, step]) => step ?? '');

/** Splits "If …, …; otherwise …" and gives the part that is to be done. */
const choose = (step: string, holds: (condition: string) => boolean): string => {
  const [, condition, then, otherwise] = step.match(/^If (.+?), (.+?)(?:; otherwise,? (.+))?$/) ?? [];
  if (condition === undefined || then === undefined) return step;
  return (holds(condition) ? then : otherwise) ?? '';
};

const answerLedger = (text: string): string => {
  const balances = new Map(
    [...text.matchAll(/^([A-Z][a-z]+): (\d+)$/gm)].map(([, account = '', sum]) => [account, Number(sum)]),
  );
  const of = (account: string): number => balances.get(account) ?? 0;
  const move = (sum: number, from?: string, to?: string): void => {
    if (from !== undefined && of(from) < sum) return;
    if (from !== undefined) balances.set(from, of(from) - sum);
    if (to !== undefined) balances.set(to, of(to) + sum);
  };
  const carryOut = (entry: string): void => {
    const sum = Number(entry.match(/\d+/)?.[0] ?? 0);
    const [one = '', two] = [...entry.matchAll(/\b[A-Z][a-z]+\b/g)]
      .map(([word]) => word)
      .filter((word) => balances.has(word));
    if (/swap/.test(entry) && two !== undefined) {
      const before = of(one);
      balances.set(one, of(two));
      balances.set(two, before);
    } else if (/half/.test(entry)) move(Math.floor(of(one) / 2), one, two);
    else if (two !== undefined) move(sum, one, two);
    else if (/receives|paid in|gets/.test(entry)) move(sum, undefined, one);
    else move(sum, one);
  };
  for (const step of steps(text)) {
    const part = choose(step, (condition) => {
      const [one = '', two] = [...condition.matchAll(new RegExp(name, 'g'))].map(([word]) => word);
      const limit = two === undefined ? Number(condition.match(/\d+/)?.[0] ?? 0) : of(two);
      return /less/.test(condition) ? of(one) < limit : of(one) > limit;
    });
    if (part !== '') carryOut(part);
  }
  const question = text.split('\n').findLast((line) => /balance of|how much/i.test(line)) ?? '';
  const account = [...question.matchAll(new RegExp(name, 'g'))]
    .map(([word]) => word)
    .find((word) => balances.has(word));
  return `Answer: ${of(account ?? '')}`;
};

const answerRow = (text: string): string => {
  const listed = text.match(/back: ([A-Z][a-z]+(?:, [A-Z][a-z]+)+)/)?.[1] ?? '';
  let row = listed.split(', ');
  const swap = (one: number, two: number): void => {
    const [first, second] = [row[one], row[two]];
    if (first === undefined || second === undefined) return;
    row[one] = second;
    row[two] = first;
  };
  const carryOut = (step: string): void => {
    const people = [...step.matchAll(new RegExp(name, 'g'))]
      .map(([word]) => word)
      .filter((word) => row.includes(word));
    const [one = '', two = ''] = people;
    const seats = [...step.matchAll(/\d+/g)].map(([digits]) => Number(digits) - 1);
    if (/rotate/.test(step)) row = [...row.slice(-1), ...row.slice(0, -1)];
    else if (/to the front/.test(step)) row = [one, ...row.filter((person) => person !== one)];
    else if (/to the back/.test(step)) row = [...row.filter((person) => person !== one), one];
    else if (/revers/.test(step)) row = [...row].toReversed();
    else if (seats[0] !== undefined && seats[1] !== undefined) swap(seats[0], seats[1]);
    else swap(row.indexOf(one), row.indexOf(two));
  };
  for (const step of steps(text)) {
    const part = choose(step, (condition) => {
      const [one = '', two = ''] = [...condition.matchAll(new RegExp(name, 'g'))].map(([word]) => word);
      const ahead = row.indexOf(one) < row.indexOf(two);
      return /behind/.test(condition) ? !ahead : ahead;
    });
    if (part !== '') carryOut(part);
  }
  return `Answer: ${row.join(', ')}`;
};

const answerSum = (text: string): string => {
  const [one = '0', two = '0'] = text.match(/\d{2,}/g) ?? [];
  if (/times|multipl|product/i.test(text)) return `Answer: ${BigInt(one) * BigInt(two)}`;
  if (/minus|subtract|less/i.test(text)) return `Answer: ${BigInt(one) - BigInt(two)}`;
  return `Answer: ${BigInt(one) + BigInt(two)}`;
};

const answerSteps = (text: string): string => {
  let value = Number(text.match(/number (\d+)/)?.[1] ?? 0);
  const modulus = Number(
    text.match(/(\d+) or more/)?.[1] ?? text.match(/division by (\d+)/)?.[1] ?? Infinity,
  );
  const holds = (condition: string): boolean => {
    const limit = Number(condition.match(/\d+/)?.[0] ?? 0);
    if (/even/.test(condition)) return value % 2 === 0;
    if (/odd/.test(condition)) return value % 2 === 1;
    if (/divisible|multiple/.test(condition)) return value % limit === 0;
    return /less|smaller|below/.test(condition) ? value < limit : value > limit;
  };
  for (const step of steps(text)) {
    const part = choose(step, holds);
    const number = Number(part.match(/\d+/)?.[0] ?? (/double/i.test(part) ? 2 : 0));
    if (/multipl|times as large|double/i.test(part)) value *= number;
    else if (/subtract|take away|reduce|decrease|lower/i.test(part)) value -= number;
    else value += number;
    if (value >= modulus) value %= modulus;
    if (value < 0) value += modulus;
  }
  return `Answer: ${value}`;
};

const answerTotal = (text: string): string => {
  const amounts = text.split('\n').filter((line) => /^\s*\d+(?: [*-])?\s*$/.test(line));
  const ordinal = text.match(/every (second|third|fourth|fifth|sixth) line/)?.[1];
  const every = ['second', 'third', 'fourth', 'fifth', 'sixth'].indexOf(ordinal ?? '') + 2;
  const kept = amounts.filter((_, index) => ordinal === undefined || (index + 1) % every !== 0);
  const total = kept.reduce((sum, line) => {
    const amount = Number(line.match(/\d+/)?.[0] ?? 0);
    return sum + (line.includes('*') ? 2 * amount : line.includes('-') ? -amount : amount);
  }, 0);
  return `Answer: ${total}`;
};

export const answerExecution = (messages: Messages): string => {
  const text = userTexts(messages).at(-1) ?? '';
  if (/\baccounts?\b/.test(text)) return answerLedger(text);
  if (/\bseat\b/.test(text)) return answerRow(text);
  if (/Start with the number/.test(text)) return answerSteps(text);
  return /with a star/.test(text) ? answerTotal(text) : answerSum(text);
};

/** Which words of a text occur exactly so many times. */
export const answerCounting = (messages: Messages): string => {
  const text = userTexts(messages).at(-1) ?? '';
  const question = text.split('\n').findLast((line) => /\?/.test(line)) ?? '';
  const body = text
    .split('\n')
    .slice(1)
    .filter((line) => line !== question && !/[.:?]/.test(line))
    .join(' ');
  const times = Number(
    question.match(/exactly (\d+) times/)?.[1] ?? (/exactly twice/.test(question) ? 2 : 1),
  );
  const words = [...count(body.match(/[a-z]+/g) ?? [])].filter(([, found]) => found === times);
  return `Answer: ${words.map(([word]) => word).join(', ')}`;
};
