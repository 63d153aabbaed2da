/** The load generator's process: takes orders from the benchmark one at a time and reports on each. */
import { driveLoad } from '../load/drive-load.ts';
import type { LoadOrder } from '../load/load-protocol.ts';

process.on('message', (order: LoadOrder) => {
  // A failed order ends the process, which the benchmark sees.
  void driveLoad(order).then((report) => process.send?.({ report }));
});
process.on('disconnect', () => process.exit(0));
process.send?.({ ready: true });
