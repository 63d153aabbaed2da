/** Loaded into a process of the hub: collects garbage at SIGUSR2, so that only live memory is measured. */
process.on('SIGUSR2', () => Bun.gc(true));
