/** Decides which of the pools `npm start` runs. */
import type { Settings } from '#runtime/settings/settings.ts';
import { type SettingFault, SettingsError } from '#runtime/settings/settings-error.ts';
import { type PoolName, poolNames, pools } from './pools.ts';

export { type PoolName, poolNames, pools } from './pools.ts';

export function isPoolName(name: string): name is PoolName {
  return Object.hasOwn(pools, name);
}

/**
 * Lists the worker processes that `npm start` runs with these settings, each with its pools. The first process of a pool is
 * shared as START_PROCESSES says.
 * @throws SettingsError when a setting names an unknown pool, or WORKER_PROCESSES asks for more processes than a pool can
 *   have
 */
export function workerProcessesFor(settings: Settings): readonly (readonly PoolName[])[] {
  const { workerProcesses: counts, startProcesses: groups } = settings;
  const faults = [
    ...Object.entries(counts).flatMap(([name, count]) => faultOf(name, count) ?? []),
    ...groups.flat().flatMap((name) => (isPoolName(name) ? [] : [unknownPool('START_PROCESSES', name)])),
  ];
  if (faults.length > 0) throw new SettingsError(faults);
  const countOf = (name: PoolName): number => {
    const { isOn } = pools[name];
    return isOn === undefined || isOn(settings) ? (counts[name] ?? 1) : 0;
  };
  return poolNames.flatMap((name) => {
    if (countOf(name) === 0) return [];
    const group = groups.find((names) => names.includes(name)) ?? [name];
    const shared = poolNames.filter((one) => group.includes(one) && countOf(one) > 0);
    const own = Array.from({ length: countOf(name) - 1 }, () => [name]);
    // A shared process takes the place of its first pool.
    return shared[0] === name ? [shared, ...own] : own;
  });
}

function unknownPool(setting: string, given: string): SettingFault {
  return {
    name: setting,
    given: JSON.stringify(given),
    rule: `name only these pools: ${poolNames.join(', ')}`,
  };
}

function faultOf(name: string, count: number): SettingFault | null {
  const fault = { name: 'WORKER_PROCESSES', given: JSON.stringify(`${name}=${count}`) };
  if (!isPoolName(name)) return unknownPool(fault.name, `${name}=${count}`);
  const { processesMax } = pools[name];
  if (processesMax === undefined || count <= processesMax) return null;
  return { ...fault, rule: `ask for at most ${processesMax} of ${name}` };
}
