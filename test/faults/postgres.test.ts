import { postgresFaults, postgresNetworkFaults } from './faults.ts';
import { testFaults } from './test-faults.ts';

testFaults('postgres', [...postgresFaults, ...postgresNetworkFaults]);
