import { testCrashes } from './test-crashes.ts';

testCrashes('postgres');
