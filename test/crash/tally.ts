/** Counts the deaths of a crash run by role and point. */
import type { CrashPoint } from '#runtime/process/crash-points.ts';
import { roles, rolesOfPoint, type Role } from './crash-plan.ts';

export interface Tally {
  /** @param wasReached false if the process was killed elsewhere because it did not reach the point in time */
  count(role: Role, point: CrashPoint, wasReached: boolean, tookMs: number): void;
  kills(): number;
  /** Kills at their planned point. */
  deaths(): number;
  /** Distinct points with a death in any role. */
  points(): number;
  /** Planned roles and points without a death. */
  missed(isPlanned: (point: CrashPoint) => boolean): readonly string[];
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
    missed: (isPlanned) =>
      points
        .filter(isPlanned)
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
