import { redisNetworkFaults } from './redis-faults.ts';
import { redisDialects, testFaults } from './test-faults.ts';

for (const dialect of redisDialects) testFaults(dialect, redisNetworkFaults);
