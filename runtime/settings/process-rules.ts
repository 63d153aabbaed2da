/** The forms of the settings that say how many processes `npm start` runs, and how large one may grow. */
import type { SettingRule } from './settings-reader.ts';
import { wholeNumber } from './rules.ts';

const processesMax = 64;
/** A process takes up to 100 MB at rest, so that a smaller bound would restart it for ever. */
const memoryMb = { min: 128, max: 1_048_576 };

/** Elsewhere the second process to listen on a port is refused, or gets no connections. */
const canShareAPort = process.platform === 'linux';

export const apiProcesses: SettingRule<number> = canShareAPort
  ? wholeNumber(1, processesMax)
  : { ...wholeNumber(1, 1), rule: 'be 1, as processes can share a port on Linux alone' };

/** Which names there are is for the registry of pools to say, see `workers/pools.ts`. */
export const processCounts: SettingRule<Readonly<Record<string, number>>> = {
  rule: `be a comma list such as eval-runner=3,mail=2, each pool once and with a number from 0 to ${processesMax}`,
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

/** Switched off with `off` or `0`. */
export const optionalMegabytes: SettingRule<number | null> = {
  rule: `be a whole number of megabytes from ${memoryMb.min} to ${memoryMb.max}, or off`,
  parse: (text) => {
    if (text === 'off' || text === '0') return null;
    return wholeNumber(memoryMb.min, memoryMb.max).parse(text);
  },
};
