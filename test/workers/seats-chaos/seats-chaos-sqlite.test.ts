import { testChaos } from './test-chaos.ts';

testChaos('sqlite');
