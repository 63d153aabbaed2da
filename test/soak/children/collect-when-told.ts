/** Loaded before a process of the hub: at SIGUSR2 it collects its garbage, so that what is left is what it holds. */
process.on('SIGUSR2', () => Bun.gc(true));
