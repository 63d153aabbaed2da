import { postgresNetworkFaults } from './store-faults.ts';
import { testFaults } from './test-faults.ts';

testFaults('postgres', postgresNetworkFaults);
