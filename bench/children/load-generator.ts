/** The process of the load generator: runs one round at a time and reports its result. */
import { driveLoad } from '../load/drive-load.ts';
import type { LoadOrder } from '../load/load-protocol.ts';

process.on('message', (order: LoadOrder) => {
  // A failed round ends the process, which the benchmark notices.
  void driveLoad(order).then((report) => process.send?.({ report }));
});
process.on('disconnect', () => process.exit(0));
process.send?.({ ready: true });
