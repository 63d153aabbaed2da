import { postgresFaults } from './store-faults.ts';
import { testFaults } from './test-faults.ts';

testFaults('postgres', postgresFaults);
