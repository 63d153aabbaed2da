/** Counting, sorting and editing of texts made of words. */
import { condition, type Item } from './conditions.ts';
import { answer, linesOf, ordinal, stepsOf } from './text-tools.ts';

const vowels = (word: string): number => word.replace(/[^aeiou]/g, '').length;

const plainItem = (name: string): Item => ({ name, crates: 0, hall: '', owner: '' });

function textWords(text: string): string[] {
  return linesOf(text)
    .filter((line) => /^[a-z]+(,? [a-z]+)*$/.test(line))
    .flatMap((line) => line.split(/,? /));
}

export function count(text: string): string | undefined {
  const all = textWords(text);
  const tally = new Map<string, number>();
  for (const word of all) tally.set(word, (tally.get(word) ?? 0) + 1);
  const asked = /How often do these words occur: ([^?]*)\?/.exec(text)?.[1];
  if (asked)
    return answer(
      asked
        .split(', ')
        .map((word) => tally.get(word) ?? 0)
        .join(', '),
    );
  const often = /Which words occur exactly (\d+) times/.exec(text)?.[1];
  if (often)
    return answer(
      [...tally]
        .filter(([, times]) => times === Number(often))
        .map(([word]) => word)
        .join(', '),
    );
  const letters = /Take all words that (.*?), as often as they occur\. How many letters/.exec(text)?.[1];
  if (letters) {
    const test = condition(letters);
    return answer(all.filter((word) => test(plainItem(word))).join('').length);
  }
  const nth = /look only at the words that (.*?), as often as they occur\. Which word is number (\d+)/.exec(
    text,
  );
  if (!nth) return undefined;
  const test = condition(nth[1] ?? '');
  const kept = all.filter((word) => test(plainItem(word)));
  return answer((/from its end/.test(text) ? kept.toReversed() : kept)[Number(nth[2]) - 1] ?? '');
}

function keyOf(name: string): (item: Item) => string | number {
  if (/vowels/.test(name)) return (item) => vowels(item.name);
  if (/length/.test(name)) return (item) => item.name.length;
  if (/number of crates/.test(name)) return (item) => item.crates;
  if (/hall/.test(name)) return (item) => item.hall;
  if (/owner/.test(name)) return (item) => item.owner;
  if (/last letter/.test(name)) return (item) => item.name.slice(-1);
  const nth = /(\w+) letter/.exec(name)?.[1];
  if (nth) return (item) => item.name.charAt(nth === 'first' ? 0 : ordinal(nth) - 1);
  return (item) => item.name;
}

function itemsOf(text: string): Item[] {
  const goods: Item[] = [];
  for (const line of linesOf(text)) {
    const crates = /^\D*\b(\d+) crates/.exec(line);
    const hall = /\bhall ([A-Z])\b/.exec(line);
    if (!crates || !hall || /Take|Which/.test(line)) continue;
    const rest = line.replace(/\d+ crates|hall [A-Z]\b/g, ' ').match(/[A-Za-z]+/g) ?? [];
    goods.push({
      name:
        rest.find(
          (word) =>
            /^[a-z]/.test(word) && !['of', 'in', 'for', 'from', 'by', 'to', 'owner', 'hold'].includes(word),
        ) ?? '',
      crates: Number(crates[1]),
      hall: hall[1] ?? '',
      owner: rest.find((word) => /^[A-Z]/.test(word)) ?? '',
    });
  }
  return goods.length > 0 ? goods : textWords(text).map(plainItem);
}

export function sort(text: string): string | undefined {
  const order = /(?:in order by|sort them by) (.*?)(?:\. Your result|, and give|\?)/.exec(text)?.[1];
  const amount = /first (\d+)|Which (\d+)/.exec(text);
  if (!order || !amount) return undefined;
  const filter = /only the (?:words|goods) that (.*?)(?:sort them|Put them)/.exec(text)?.[1] ?? '';
  const keys = order.split('; among equals by ').map((part) => ({
    key: keyOf(part),
    sign: /most first|longest first|highest first|from z to a|from Z to A/.test(part) ? -1 : 1,
  }));
  const items = itemsOf(text).filter(condition(filter));
  items.sort((a, b) => {
    for (const { key, sign } of keys) {
      const [left, right] = [key(a), key(b)];
      if (left !== right) return left < right ? -sign : sign;
    }
    return 0;
  });
  return answer(
    items
      .slice(0, Number(amount[1] ?? amount[2]))
      .map((item) => item.name)
      .join(', '),
  );
}

function editStep(lines: string[][], step: string): string[][] {
  const numbers = [...step.matchAll(/\d+/g)].map((match) => Number(match[0]) - 1);
  const [at = 0, other = 0] = numbers;
  const quoted = [...step.matchAll(/"(\w+)"/g)].map((match) => match[1] ?? '');
  const line = lines[at] ?? [];
  if (step.startsWith('Delete every line in which'))
    return lines.filter((words) => !words.includes(quoted[0] ?? ''));
  if (step.startsWith('Delete line')) return lines.filter((_, index) => index !== at);
  if (step.startsWith('Replace the word'))
    return lines.map((words) => words.map((word) => (word === quoted[0] ? (quoted[1] ?? '') : word)));
  if (/reverse order/.test(step)) line.reverse();
  else if (/alphabetical order/.test(step)) line.sort();
  else if (step.startsWith('Move line')) {
    const rest = lines.filter((_, index) => index !== at);
    return /to the (top|beginning)/.test(step) ? [line, ...rest] : [...rest, line];
  } else if (step.startsWith('Swap lines')) [lines[at], lines[other]] = [lines[other] ?? [], line];
  else for (const words of lines) editWords(words, step);
  return lines;
}

function editWords(words: string[], step: string): void {
  const last = words.length - 1;
  if (step.startsWith('Swap the first and the last word'))
    [words[0], words[last]] = [words[last] ?? '', words[0] ?? ''];
  else if (step.startsWith('Delete the first word')) words.shift();
  else if (step.startsWith('Delete the last word')) words.pop();
  else if (step.startsWith('Move the last word')) words.unshift(words.pop() ?? '');
  else if (step.startsWith('Move the first word')) words.push(words.shift() ?? '');
}

export function edit(text: string): string | undefined {
  const body = /Text:\n([\s\S]*?)\n\n/.exec(text)?.[1];
  if (!body || !/line numbers mean|line number always/.test(text)) return undefined;
  let lines = linesOf(body).map((line) => line.split(' '));
  for (const step of stepsOf(text)) lines = editStep(lines, step);
  lines = lines.filter((words) => words.length > 0);
  if (/first and the last word of each line of the result/.test(text)) {
    return answer(lines.map((words) => `${words[0] ?? ''}, ${words.at(-1) ?? ''}`).join(', '));
  }
  return answer(lines.map((words) => words.join(' ')).join(' / '));
}
