/** The full-disk fault of one store; `disk.test.ts` runs it on a small disk. */
import { diskFaults } from './faults.ts';
import { testFaults } from './test-faults.ts';

testFaults(process.env['FULL_DISK_OF'] === 'sqlite' ? 'sqlite' : 'postgres', diskFaults, {
  persistentRedis: true,
});
