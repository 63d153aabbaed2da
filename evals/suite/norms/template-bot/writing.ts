import { compose } from './composer.ts';
import { type Messages, userTexts } from './text.ts';
import { type Wish, properNames, readLineCount, readNames, readWish } from './wishes.ts';

type Rules = Map<string, Wish>;

const ruleWord = '(?:rule|requirement|demand|condition|point|instruction|wish|item)';
const ruleReference = new RegExp(`\\b${ruleWord}(?: (?:no\\.|number))? ([A-Z]|\\d+)\\b`, 'i');
const label = new RegExp(`^\\W*(?:${ruleWord}(?: no\\.| number)? )?\\(?\\[?([A-Z]|\\d+)[).\\]:]+\\s+`, 'i');
const removal =
  /\bremove|cancel|withdrawn|can go\b|off the list|dropping|\bdrop\b|not needed|no longer needed|cross out|\bignore|disregard|do without (?:rule|point|demand|requirement|condition)|need not keep|not in force|no longer (?:in force|holds|applies)|delete|lapses?|forget (?:about )?(?:rule|point|demand|requirement|condition)|strike|abolish|is void|is gone|take .* off/i;

const splitParts = (message: string): string[] =>
  message
    .replace(/\? (?=Exactly|Just)/g, ', ')
    .split(/\n|(?<=[.?!])\s+(?=["“A-Z])/)
    .map((part) => part.trim())
    .filter((part) => part !== '');

const readFirst = (message: string): Rules => {
  const rules: Rules = new Map();
  let inline = 0;
  for (const line of message.split('\n')) {
    const id = line.match(label)?.[1];
    if (id !== undefined) {
      const wish = readWish(line.replace(label, ''));
      if (wish !== undefined) rules.set(id.toUpperCase(), wish);
      continue;
    }
    for (const part of splitParts(line.replace(/^[-*•+–]\s+/, ''))) {
      const body = part.replace(
        /^[^"]*at once: |^[^"]*true of it: |^[^:"]*(?:followed|together|this|these \w+): /,
        '',
      );
      if (
        /\blines?\b.*\b(?:wanted|about|describe|length)\b|no fewer|fewer than three|at least three/i.test(
          body,
        )
      )
        continue;
      const wish = readWish(body);
      inline += 1;
      if (wish !== undefined) rules.set(`inline ${inline}`, wish);
    }
  }
  return rules;
};

const renameIn = (parts: readonly string[], index: number, names: string[]): void => {
  const part = parts[index] ?? '';
  const old = names.find((name) => new RegExp(`\\b${name}\\b`).test(part));
  if (old === undefined) return;
  const next = parts[index + 1] ?? '';
  const goesOn =
    /^(?:Name|In return|In (?:his|her|its|their) place|Mention|Bring|Instead|Put|Use|It is|Please (?:name|mention))\b/.test(
      next,
    );
  const around = goesOn ? `${part} ${next}` : part;
  const fresh = properNames(around).find((name) => !names.includes(name) && name.length > 3);
  if (fresh !== undefined) names[names.indexOf(old)] = fresh;
};

const amend = (message: string, rules: Rules, names: string[]): void => {
  const parts = splitParts(message);
  let pending: string | undefined;
  for (const [index, part] of parts.entries()) {
    const id = part.match(ruleReference)?.[1]?.toUpperCase();
    if (id === undefined) {
      if (pending !== undefined) {
        const wish = readWish(part.replace(/^It (?:becomes|is now this|now reads|reads)[^:]*: /, ''));
        if (wish !== undefined) rules.set(pending, wish);
        pending = undefined;
      } else renameIn(parts, index, names);
      continue;
    }
    pending = undefined;
    const after = part.slice(part.search(ruleReference));
    const colon = after.indexOf(': ');
    const wish = colon < 0 ? undefined : readWish(after.slice(colon + 2));
    if (wish !== undefined) rules.set(id, wish);
    else if (removal.test(part) || (!/not needed|out of date/.test(part) && /not/.test(part) && colon < 0)) {
      rules.delete(id);
    } else if (/out of date|has changed|is changed|different|rewritten|replaced/i.test(part)) {
      pending = id;
      if (parts[index + 1] === undefined) rules.delete(id);
    } else if (colon < 0) rules.delete(id);
  }
};

/** What holds after all messages so far. */
export const readTask = (messages: Messages): { wishes: Wish[]; lines: number; names: string[] } => {
  const [first = '', ...later] = userTexts(messages);
  const rules = readFirst(first);
  const names = readNames(first);
  for (const message of later) amend(message, rules, names);
  return { wishes: [...rules.values()], lines: readLineCount(first), names };
};

export const answerWriting = (messages: Messages): string => {
  const { wishes, lines, names } = readTask(messages);
  return compose(wishes, lines, names);
};
