import { testSoak } from './test-soak.ts';

testSoak('postgres');
