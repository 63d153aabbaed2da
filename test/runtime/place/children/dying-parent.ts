/** Prints the id of the process of its place, then has it work without an end. */
import { join } from 'node:path';
import { WorkPlace } from '#runtime/place/work-place.ts';
import type { TestTask } from './task-program.ts';

const place = new WorkPlace<TestTask, unknown>({
  command: [join(import.meta.dir, 'task-program.ts')],
  waitingMax: { ofAgent: 9, all: 9 },
});
const someone = { network: 'network', agentId: 'agent' };
const endless = { cpuMs: 1_000_000 };
console.log(await place.run(someone, () => 'pid', endless));
await place.run(someone, () => 'loop', endless);
