/** Loaded into a process of the hub. Collects its garbage on a signal, so that only live memory is measured. */
process.on('SIGUSR2', () => Bun.gc(true));
