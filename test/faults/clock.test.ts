import { clockFaults } from './faults.ts';
import { briefDialects, testFaults } from './test-faults.ts';

for (const dialect of briefDialects) testFaults(dialect, clockFaults, { settableClocks: true });
