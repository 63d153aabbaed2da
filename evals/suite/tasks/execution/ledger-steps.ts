/** The entries of a ledger, their effect on the balances, and their wording. Accounts are numbered from 0. */
import { sentence } from '../../language/sentence.ts';
import type { Random } from '../../../random.ts';

export type LedgerStep =
  | { readonly does: 'deposit' | 'withdraw'; readonly account: number; readonly amount: number }
  | { readonly does: 'transfer'; readonly from: number; readonly to: number; readonly amount: number }
  | { readonly does: 'swap'; readonly account: number; readonly other: number }
  | { readonly does: 'halve'; readonly account: number; readonly to: number }
  | {
      readonly does: 'compare';
      readonly account: number;
      readonly other: number;
      readonly more: LedgerStep;
      readonly otherwise: LedgerStep;
    };

/** Mistakes of a careless reader: following one branch of every condition, or overdrawing accounts. */
export type Shortcut = 'none' | 'always more' | 'always otherwise' | 'overdraw';

/** A payment that its account cannot cover is skipped. */
export function applyStep(balances: number[], step: LedgerStep, shortcut: Shortcut = 'none'): void {
  const of = (account: number) => balances[account] ?? 0;
  const covers = (account: number, amount: number) => of(account) >= amount || shortcut === 'overdraw';
  switch (step.does) {
    case 'deposit':
      balances[step.account] = of(step.account) + step.amount;
      return;
    case 'withdraw':
      if (covers(step.account, step.amount)) balances[step.account] = of(step.account) - step.amount;
      return;
    case 'transfer':
      if (!covers(step.from, step.amount)) return;
      balances[step.from] = of(step.from) - step.amount;
      balances[step.to] = of(step.to) + step.amount;
      return;
    case 'swap':
      [balances[step.account], balances[step.other]] = [of(step.other), of(step.account)];
      return;
    case 'halve': {
      const moved = Math.floor(of(step.account) / 2);
      balances[step.account] = of(step.account) - moved;
      balances[step.to] = of(step.to) + moved;
      return;
    }
    case 'compare': {
      const isMore = of(step.account) > of(step.other);
      const more = shortcut === 'always more' || (isMore && shortcut !== 'always otherwise');
      return applyStep(balances, more ? step.more : step.otherwise, shortcut);
    }
  }
}

export function tellStep(random: Random, names: readonly string[], step: LedgerStep): string {
  return sentence(phrase(random, names, step));
}

function phrase(random: Random, names: readonly string[], step: LedgerStep): string {
  const name = (account: number) => names[account] ?? '';
  switch (step.does) {
    case 'deposit':
      return random.pick([
        `${name(step.account)} receives ${step.amount}`,
        `${step.amount} is paid in to ${name(step.account)}`,
      ]);
    case 'withdraw':
      return random.pick([
        `${name(step.account)} pays a bill of ${step.amount}`,
        `${step.amount} is withdrawn from ${name(step.account)}`,
      ]);
    case 'transfer':
      return random.pick([
        `${name(step.from)} pays ${name(step.to)} ${step.amount}`,
        `${step.amount} goes from ${name(step.from)} to ${name(step.to)}`,
      ]);
    case 'swap':
      return `${name(step.account)} and ${name(step.other)} swap balances`;
    case 'halve':
      return `${name(step.account)} gives half of its balance, rounded down, to ${name(step.to)}`;
    case 'compare':
      return `if ${name(step.account)} has more than ${name(step.other)}, ${phrase(random, names, step.more)}; otherwise ${phrase(random, names, step.otherwise)}`;
  }
}
