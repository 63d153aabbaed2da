/** A solver for logic grids: constraint propagation on bit masks of positions, and bounded depth-first search. */

export interface Grid {
  readonly size: number;
  readonly attributes: number;
}

/** What a clue means, as bit masks of positions. */
export interface Rule {
  /** One to three values, numbered attribute by attribute: `attribute * size + index`. */
  readonly values: readonly number[];
  /** `masks[first * size + second]`: the positions that the last value may take, given those of the others. */
  readonly masks: readonly number[];
}

export type Search =
  | { readonly found: 'other'; readonly positions: readonly number[] }
  | { readonly found: 'none' }
  /** The search reached its limit without a result. */
  | { readonly found: 'unsure' };

/** Looks for a solution that differs from `known`, in at most `maxNodes` steps of the search. */
export function findOther(
  grid: Grid,
  rules: readonly Rule[],
  known: readonly number[],
  maxNodes: number,
): Search {
  const rulesOf: number[][] = known.map(() => []);
  for (const [index, { values }] of rules.entries()) for (const value of values) rulesOf[value]?.push(index);
  const net: Net = { grid, rules, rulesOf, known, isQueued: new Uint8Array(rules.length), left: maxNodes };
  const domains = new Uint8Array(known.length).fill((1 << grid.size) - 1);
  return search(
    net,
    domains,
    rules.map((_, index) => index),
  );
}

interface Net {
  readonly grid: Grid;
  readonly rules: readonly Rule[];
  /** The rules in which a value occurs. */
  readonly rulesOf: readonly (readonly number[])[];
  readonly known: readonly number[];
  /** By rule: whether it is queued to be applied again. */
  readonly isQueued: Uint8Array;
  /** The number of steps left. */
  left: number;
}

function search(net: Net, domains: Uint8Array, queue: number[]): Search {
  if ((net.left -= 1) < 0) return { found: 'unsure' };
  if (!propagate(net, domains, queue)) return { found: 'none' };
  const open = narrowest(domains);
  if (open < 0) {
    const positions = [...domains].map((mask) => 31 - Math.clz32(mask));
    const same = positions.every((position, value) => position === net.known[value]);
    return same ? { found: 'none' } : { found: 'other', positions };
  }
  // The known position comes last, so that another solution is found early if there is one.
  const last = 1 << (net.known[open] ?? 0);
  const mask = domains[open] ?? 0;
  for (let rest = mask & ~last; rest !== 0; rest &= rest - 1) {
    const result = branch(net, domains, open, rest & -rest);
    if (result.found !== 'none') return result;
  }
  return (mask & last) === 0 ? { found: 'none' } : branch(net, domains, open, last);
}

function branch(net: Net, domains: Uint8Array, open: number, bit: number): Search {
  const next = domains.slice();
  // A failed branch leaves its queue behind.
  net.isQueued.fill(0);
  const queue: number[] = [];
  return narrow(net, next, queue, open, bit) ? search(net, next, queue) : { found: 'none' };
}

function narrowest(domains: Uint8Array): number {
  let open = -1;
  let fewest = 99;
  for (let value = 0; value < domains.length; value += 1) {
    let count = 0;
    for (let rest = domains[value] ?? 0; rest !== 0; rest &= rest - 1) count += 1;
    if (count > 1 && count < fewest) {
      fewest = count;
      open = value;
    }
  }
  return open;
}

/** Removes positions that no solution has. False if a value has none left. */
function propagate(net: Net, domains: Uint8Array, queue: number[]): boolean {
  for (;;) {
    for (let index = queue.pop(); index !== undefined; index = queue.pop()) {
      net.isQueued[index] = 0;
      const rule = net.rules[index];
      if (rule !== undefined && !applyRule(net, domains, queue, rule)) return false;
    }
    for (let start = 0; start < domains.length; start += net.grid.size) {
      if (!placeSingles(net, domains, queue, start)) return false;
    }
    if (queue.length === 0) return true;
  }
}

/** Restricts a value to `mask`. A value with one position takes it from the others of its attribute. */
function narrow(net: Net, domains: Uint8Array, queue: number[], value: number, mask: number): boolean {
  const before = domains[value] ?? 0;
  const after = before & mask;
  if (after === before) return true;
  if (after === 0) return false;
  domains[value] = after;
  for (const index of net.rulesOf[value] ?? []) {
    if (net.isQueued[index] === 1) continue;
    net.isQueued[index] = 1;
    queue.push(index);
  }
  if ((after & (after - 1)) !== 0) return true;
  const start = value - (value % net.grid.size);
  for (let other = start; other < start + net.grid.size; other += 1) {
    if (other !== value && !narrow(net, domains, queue, other, ~after)) return false;
  }
  return true;
}

/** A position that only one value of the attribute can take is its own. */
function placeSingles(net: Net, domains: Uint8Array, queue: number[], start: number): boolean {
  let once = 0;
  let twice = 0;
  const end = start + net.grid.size;
  for (let value = start; value < end; value += 1) {
    const mask = domains[value] ?? 0;
    twice |= once & mask;
    once |= mask;
  }
  if (once !== (1 << net.grid.size) - 1) return false;
  const single = once & ~twice;
  for (let value = start; value < end; value += 1) {
    const only = (domains[value] ?? 0) & single;
    if (only === 0 || only === domains[value]) continue;
    if ((only & (only - 1)) !== 0 || !narrow(net, domains, queue, value, only)) return false;
  }
  return true;
}

function applyRule(net: Net, domains: Uint8Array, queue: number[], { values, masks }: Rule): boolean {
  const { size } = net.grid;
  const [first = 0, second = first, third = second] = values;
  const last = domains[third] ?? 0;
  let [keptFirst, keptSecond, keptLast] = [0, 0, 0];
  for (let ones = domains[first] ?? 0; ones !== 0; ones &= ones - 1) {
    const one = 31 - Math.clz32(ones & -ones);
    const middle = values.length > 2 ? (domains[second] ?? 0) : 1;
    for (let twos = middle; twos !== 0; twos &= twos - 1) {
      const two = 31 - Math.clz32(twos & -twos);
      const kept = (masks[one * size + two] ?? 0) & last;
      if (kept === 0) continue;
      keptFirst |= 1 << one;
      keptSecond |= 1 << two;
      keptLast |= kept;
    }
  }
  return (
    narrow(net, domains, queue, first, keptFirst) &&
    (values.length < 3 || narrow(net, domains, queue, second, keptSecond)) &&
    narrow(net, domains, queue, third, keptLast)
  );
}
