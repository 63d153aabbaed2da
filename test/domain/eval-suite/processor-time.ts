/** Measures work by the processor time of this thread, so that other load on the machine does not count. */

/** Milliseconds of processor time that `work` took. */
export function processorMs(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
