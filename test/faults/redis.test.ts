import { redisFaults } from './redis-faults.ts';
import { redisDialects, testFaults } from './test-faults.ts';

for (const dialect of redisDialects) testFaults(dialect, redisFaults);
