import { testStalledRunner } from './recovery.ts';
import { onStore } from '#test/harness/stores.ts';

onStore('sqlite', testStalledRunner);
