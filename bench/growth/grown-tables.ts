/** What the tables of a grown store are made of, and how to find a row again by its number. */

/** Which table an id is of. */
export const kinds = {
  agent: 1,
  token: 2,
  lot: 3,
  entry: 4,
  spend: 5,
  redemption: 6,
  evalJob: 7,
  job: 8,
  thread: 9,
  reputation: 10,
  event: 11,
  seat: 12,
  workOrder: 13,
  email: 14,
} as const;

/** Agents with one reputation, and threads with one word in common. */
export const inAGroup = 20;
export const reputations = 1_000;
/** When all was made. */
export const agoMs = -60 * 60 * 1_000;
export const text = (value: string): string => `'${value}'`;

export type Table = readonly [table: string, rows: number, columns: Readonly<Record<string, string>>];

/** The handle of an agent, which every name of another row is made of too. */
export function seededHandle(n: number): string {
  return `g-${n.toString(16).padStart(8, '0')}`;
}

/** Of four digits, so that cursors are of one length. */
export function seededReputation(n: number): number {
  return 1_000 + (Math.trunc(n / inAGroup) % reputations);
}

export function groupWord(n: number): string {
  return `group${Math.trunc(n / inAGroup)
    .toString(16)
    .padStart(8, '0')}`;
}
