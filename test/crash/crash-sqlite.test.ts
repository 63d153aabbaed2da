import { testCrashes } from './test-crashes.ts';

testCrashes('sqlite');
