/**
 * Entry point of a compiled hub for tests that change its processes: loads the module that `HUB_PRELOAD` names before
 * the hub.
 */
const preloads = {
  // On a signal, so that only live memory is measured.
  'collect-garbage': async () => void process.on('SIGUSR2', () => Bun.gc(true)),
  'die-at-point': () => import('#test/workload/children/die-at-point.ts'),
  'set-clock': () => import('#test/workload/children/set-clock.ts'),
} as const;

export type Preload = keyof typeof preloads;

const name = process.env['HUB_PRELOAD'] ?? '';
if (!Object.hasOwn(preloads, name))
  throw new Error(`HUB_PRELOAD must be one of ${Object.keys(preloads).join(', ')}.`);
await preloads[name as Preload](); // A key of `preloads`, as checked above.
await import('#cli/binary.ts');
