/** A ledger of many entries, with conditions and with payments that are skipped when an account cannot cover them. */
import { exactTask } from '../../exact-task.ts';
import type { Level } from '../../ladder/ladder.ts';
import { askForNumber } from '../../language/ask-for-answer.ts';
import { inventNames } from '../../language/invented-word.ts';
import { maxGeneratorAttempts } from '../../../limits.ts';
import type { Random } from '../../../random.ts';
import type { Kind } from '../../task.ts';
import type { LedgerStep, Shortcut } from './ledger-steps.ts';
import { applyStep, tellStep } from './ledger-steps.ts';
import { stepsWithin } from './step-counts.ts';

const accountCounts: Readonly<Record<Level, number>> = { 1: 3, 2: 4, 3: 5, 4: 6, 5: 8, 6: 9, 7: 10, 8: 11 };
const tokensAStep = 17;
const shortcuts: readonly Shortcut[] = ['always more', 'always otherwise', 'overdraw'];
/** A mistake to include as a refused reply, although not every ledger allows it. */
const leastAnswer = 20;

export interface Ledger {
  readonly names: readonly string[];
  readonly opening: readonly number[];
  readonly steps: readonly LedgerStep[];
  readonly asked: number;
  readonly closing: number;
  /** The results of the shortcuts, and of forgetting the last entry. */
  readonly mistakes: readonly number[];
}

export const ledgers: Kind = {
  name: 'ledgers',
  make(random, level, limits) {
    const stepCount = stepsWithin(level, limits, tokensAStep);
    const { names, opening, steps, asked, closing, mistakes } = makeLedger(random, level, stepCount);
    const entries = steps.map((step, index) => `${index + 1}. ${tellStep(random, names, step)}`);
    const accounts = names.map((name, index) => `${name}: ${opening[index] ?? 0}`);
    return exactTask({
      prompt: [
        random.pick([
          `${names.length} accounts start with these balances:`,
          `These are the opening balances of ${names.length} accounts:`,
        ]),
        accounts.join('\n'),
        `The entries below are carried out in order. ${random.pick([
          'A payment, withdrawal or bill that the account cannot cover in full is skipped; nothing moves then.',
          'No account may go below 0: an entry that would take an account below 0 is left out altogether.',
        ])}`,
        entries.join('\n'),
        `What is the balance of ${names[asked] ?? ''} after entry ${steps.length}? ${askForNumber(random)}`,
      ].join('\n\n'),
      type: 'number',
      value: String(closing),
      skill: 'ledger',
      mistakes: mistakes.map(String),
    });
  },
};

export function makeLedger(random: Random, level: Level, stepCount: number): Ledger {
  const names = inventNames(random, accountCounts[level]);
  for (let attempt = 0; attempt < maxGeneratorAttempts; attempt += 1) {
    const opening = names.map(() => random.int(40, 400));
    const steps: LedgerStep[] = [];
    const balances = [...opening];
    while (steps.length < stepCount) {
      const step = drawStep(random, balances);
      if (step === null) continue;
      applyStep(balances, step);
      steps.push(step);
    }
    const wrong = shortcuts.map((shortcut) => close(opening, steps, shortcut));
    const before = close(opening, steps.slice(0, -1), 'none');
    const open = balances.flatMap((closing, account) => {
      const others = [opening, ...wrong].map((other) => other[account]);
      return closing < leastAnswer || others.includes(closing) ? [] : [account];
    });
    if (open.length === 0) continue;
    const asked = random.pick(open);
    const mistakes = [...wrong, before].map((other) => other[asked] ?? 0);
    return { names, opening, steps, asked, closing: balances[asked] ?? 0, mistakes };
  }
  throw new Error('No ledger tells its shortcuts apart.');
}

function close(opening: readonly number[], steps: readonly LedgerStep[], shortcut: Shortcut): number[] {
  const balances = [...opening];
  for (const step of steps) applyStep(balances, step, shortcut);
  return balances;
}

/** An entry that changes something, or that is skipped; null if both branches of a condition have the same result. */
function drawStep(random: Random, balances: readonly number[]): LedgerStep | null {
  const accounts = balances.map((_, account) => account);
  const [account = 0, other = 0] = random.sample(accounts, 2);
  const drawn = random.int(1, 100);
  if (drawn <= 4) return balances[account] === balances[other] ? null : { does: 'swap', account, other };
  if (drawn <= 10) {
    return (balances[account] ?? 0) < 60 ? null : { does: 'halve', account, to: other };
  }
  if (drawn > 30) return drawPayment(random, balances);
  const step: LedgerStep = {
    does: 'compare',
    account,
    other,
    more: drawPayment(random, balances),
    otherwise: drawPayment(random, balances),
  };
  const results = [step.more, step.otherwise].map((branch) => close(balances, [branch], 'none').join());
  return results[0] === results[1] ? null : step;
}

function drawPayment(random: Random, balances: readonly number[]): LedgerStep {
  const [account = 0, to = 0] = random.sample(
    balances.map((_, index) => index),
    2,
  );
  const balance = balances[account] ?? 0;
  // Sometimes more than the balance, so that the rule about skipped payments matters.
  const amount = random.chance(0.12)
    ? balance + random.int(1, 60)
    : random.int(1, Math.max(9, Math.min(balance, 150)));
  const drawn = random.int(1, 10);
  if (drawn <= 3) return { does: 'deposit', account, amount: random.int(5, 90) };
  if (drawn <= 5) return { does: 'withdraw', account, amount };
  return { does: 'transfer', from: account, to, amount };
}
