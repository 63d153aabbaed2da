/** Counts the deaths of a crash run: how many at each point of each role, and how many elsewhere. */
import type { CrashPoint } from '#runtime/process/crash-points.ts';
import { roles, rolesOfPoint, type Role } from './crash-plan.ts';

export interface Tally {
  /** @param wasReached false: it did not come to the point in time and was killed wherever it was */
  count(role: Role, point: CrashPoint, wasReached: boolean, tookMs: number): void;
  kills(): number;
  /** Those at the very point. */
  deaths(): number;
  /** Different points that were died at, in any role. */
  points(): number;
  /** Role and point, of those that were wanted. */
  neverDiedAt(isWanted: (point: CrashPoint) => boolean): readonly string[];
  /** A line for each point. */
  table(): string;
}

interface Row {
  deaths: number;
  late: number;
  tookMs: number;
}

export function createTally(): Tally {
  const rows = new Map<string, Row>();
  const keyOf = (role: Role, point: CrashPoint): string => `${role} ${point}`;
  const sum = (value: (row: Row) => number): number =>
    [...rows.values()].reduce((total, row) => total + value(row), 0);
  const points = Object.keys(rolesOfPoint) as CrashPoint[];
  const deathsAt = (role: Role, point: CrashPoint): number => rows.get(keyOf(role, point))?.deaths ?? 0;

  function cellOf(role: Role, point: CrashPoint): string {
    if (!rolesOfPoint[point].includes(role)) return '–';
    const row = rows.get(keyOf(role, point));
    if (row === undefined) return '0';
    const seconds = (row.tookMs / (row.deaths + row.late) / 1_000).toFixed(1);
    return `${row.deaths} (${row.late} late, ${seconds} s)`;
  }

  return {
    count: (role, point, wasReached, tookMs) => {
      const row = rows.get(keyOf(role, point)) ?? { deaths: 0, late: 0, tookMs: 0 };
      if (wasReached) row.deaths += 1;
      else row.late += 1;
      row.tookMs += tookMs;
      rows.set(keyOf(role, point), row);
    },
    kills: () => sum(({ deaths, late }) => deaths + late),
    deaths: () => sum(({ deaths }) => deaths),
    points: () => points.filter((point) => roles.some((role) => deathsAt(role, point) > 0)).length,
    neverDiedAt: (isWanted) =>
      points
        .filter(isWanted)
        .flatMap((point) =>
          rolesOfPoint[point].filter((role) => deathsAt(role, point) === 0).map((role) => keyOf(role, point)),
        ),
    table: () =>
      [
        ['point', 'api', 'workers'],
        ...points.map((point) => [point, ...roles.map((role) => cellOf(role, point))]),
      ]
        .map(([point = '', api = '', workers = '']) => `${point.padEnd(26)}${api.padEnd(24)}${workers}`)
        .join('\n'),
  };
}
