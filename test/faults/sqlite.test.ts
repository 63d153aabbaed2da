import { sqliteFaults } from './store-faults.ts';
import { testFaults } from './test-faults.ts';

testFaults('sqlite', sqliteFaults);
