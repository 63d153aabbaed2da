import { testChaos } from './test-chaos.ts';

testChaos('postgres');
