/** Counts the deaths of a crash run by role and point. */
import type { CrashPoint } from '#runtime/process/crash-points.ts';
import { roles, rolesOfPoint, type Role } from './crash-plan.ts';

type Count = (role: Role, point: CrashPoint, wasReached: boolean, tookMs: number) => void;
export type Tally = ReturnType<typeof createTally>;

export function createTally() {
  const rows = new Map<string, { deaths: number; late: number; tookMs: number }>();
  const keyOf = (role: Role, point: CrashPoint): string => `${role} ${point}`;
  const sum = (value: (row: { deaths: number; late: number }) => number): number =>
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
  /** @param wasReached false if the process was killed elsewhere because it did not reach the point in time */
  const count: Count = (role, point, wasReached, tookMs) => {
    const row = rows.get(keyOf(role, point)) ?? { deaths: 0, late: 0, tookMs: 0 };
    row[wasReached ? 'deaths' : 'late'] += 1;
    row.tookMs += tookMs;
    rows.set(keyOf(role, point), row);
  };
  return {
    count,
    kills: () => sum(({ deaths, late }) => deaths + late),
    /** Kills at their planned point. */
    deaths: () => sum(({ deaths }) => deaths),
    /** Distinct points with a death in any role. */
    points: () => points.filter((point) => roles.some((role) => deathsAt(role, point) > 0)).length,
    /** Planned roles and points without a death. */
    missed: (isPlanned: (point: CrashPoint) => boolean) =>
      points
        .filter(isPlanned)
        .flatMap((point) =>
          rolesOfPoint[point].filter((role) => deathsAt(role, point) === 0).map((role) => keyOf(role, point)),
        ),
    table: () =>
      points
        .map((point) => [point.padEnd(26), ...roles.map((role) => cellOf(role, point).padEnd(24))].join(''))
        .join('\n'),
  };
}
