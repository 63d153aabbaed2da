/** Rules for settings on how many processes `npm start` runs, and how large one may grow. */
import type { SettingRule } from './settings-reader.ts';
import { wholeNumber } from './rules.ts';

const processesMax = 64;
/** An idle process takes up to 100 MB, so a lower limit would restart it forever. */
const memoryMb = { min: 128, max: 1_048_576 };

/** On other systems a second process cannot listen on the port, or gets no connections. */
const canShareAPort = process.platform === 'linux';

export const apiProcesses: SettingRule<number> = canShareAPort
  ? wholeNumber(1, processesMax)
  : { ...wholeNumber(1, 1), rule: 'be 1, since processes can share a port on Linux only' };

/** The registry of pools checks the names; see `workers/pool-registry.ts`. */
export const processCounts: SettingRule<Readonly<Record<string, number>>> = {
  rule: `be a comma-separated list such as eval-runner=3,mail=2, each pool once and with a number from 0 to ${processesMax}`,
  parse: (text) => {
    const counts = new Map<string, number>();
    for (const entry of text.split(',').map((part) => part.trim())) {
      if (entry === '') continue;
      const [, name = '', number = ''] = /^([a-z][a-z-]*) *= *(\d+)$/.exec(entry) ?? [];
      const count = wholeNumber(0, processesMax).parse(number);
      if (count === undefined || counts.has(name)) return undefined;
      counts.set(name, count);
    }
    return Object.freeze(Object.fromEntries(counts));
  },
};

/**
 * Pools that neither run what strangers made nor wait for much: one process for them saves the memory of two. `separate` is
 * no group.
 */
export const defaultStartProcesses = Object.freeze([Object.freeze(['mail', 'webhooks', 'sweeper'])]);

export const processGroups: SettingRule<readonly (readonly string[])[]> = {
  rule: 'be a comma-separated list of groups such as mail+webhooks+sweeper, each pool once, or separate',
  parse: (text) => {
    if (text === 'separate') return Object.freeze([]);
    const groups = text.split(',').map((group) => group.split('+').map((name) => name.trim()));
    const names = groups.flat();
    const isValid =
      names.every((name) => /^[a-z][a-z-]*$/.test(name)) && new Set(names).size === names.length;
    return isValid ? Object.freeze(groups.map((group) => Object.freeze(group))) : undefined;
  },
};

/** `off` or `0` disables it. */
export const optionalMegabytes: SettingRule<number | null> = {
  rule: `be a whole number of megabytes from ${memoryMb.min} to ${memoryMb.max}, or off`,
  parse: (text) => {
    if (text === 'off' || text === '0') return null;
    return wholeNumber(memoryMb.min, memoryMb.max).parse(text);
  },
};
