import { redisFaults, redisNetworkFaults, sqliteFaults, clientFaults } from './faults.ts';
import { briefDialects, testFaults } from './test-faults.ts';

for (const dialect of briefDialects) {
  testFaults(dialect, [...redisFaults, ...redisNetworkFaults, ...sqliteFaults, ...clientFaults]);
}
