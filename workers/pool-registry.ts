/** Looks up the pools of `pools.ts` by name, and decides which of them `npm start` runs. */
import type { Settings } from '#runtime/settings/settings.ts';
import { type SettingFault, SettingsError } from '#runtime/settings/settings-error.ts';
import type { Pool } from './pool.ts';
import * as registry from './pools.ts';

export type PoolName = (typeof registry)[keyof typeof registry]['name'];

const everyPool: readonly (Pool & { readonly name: PoolName })[] = Object.values(registry);

/**
 * By name, except that pools that need a setting come last: enabling one must not shift the metrics ports of
 * the others.
 */
export const poolNames: readonly PoolName[] = [
  ...everyPool.filter(({ requires }) => requires === null),
  ...everyPool.filter(({ requires }) => requires !== null),
].map(({ name }) => name);

// `PoolName` is the union of the names of these pools.
export const pools = Object.fromEntries(everyPool.map((pool) => [pool.name, pool])) as Readonly<
  Record<PoolName, Pool>
>;

export function isPoolName(name: string): name is PoolName {
  return Object.hasOwn(pools, name);
}

/**
 * Lists the pools of the worker processes that `npm start` runs with these settings, one entry per process.
 * @throws SettingsError when WORKER_PROCESSES names an unknown pool, or asks for more processes than a pool can have
 */
export function workerProcessesFor(settings: Settings): readonly PoolName[] {
  const { workerProcesses: counts } = settings;
  const faults = Object.entries(counts).flatMap(([name, count]) => faultOf(name, count) ?? []);
  if (faults.length > 0) throw new SettingsError(faults);
  return poolNames.flatMap((name) => {
    const { requires } = pools[name];
    const count = requires === null || requires.isSet(settings) ? (counts[name] ?? 1) : 0;
    return Array.from({ length: count }, () => name);
  });
}

function faultOf(name: string, count: number): SettingFault | null {
  const fault = { name: 'WORKER_PROCESSES', given: JSON.stringify(`${name}=${count}`) };
  if (!isPoolName(name)) return { ...fault, rule: `name only these pools: ${poolNames.join(', ')}` };
  const { processesMax } = pools[name];
  if (processesMax === null || count <= processesMax) return null;
  return { ...fault, rule: `ask for at most ${processesMax} of ${name}` };
}
