/** The faults of a full disk, for one store; run by `disk.test.ts` on a disk of its own. */
import { diskFaults } from '../disk-faults.ts';
import { testFaults } from '../test-faults.ts';

testFaults(process.env['FULL_DISK_OF'] === 'sqlite' ? 'sqlite' : 'postgres', diskFaults, {
  redisKeeps: true,
});
