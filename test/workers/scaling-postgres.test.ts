import { testScaling } from './scaling.ts';
import { onStore } from '#test/harness/stores.ts';

onStore('postgres', testScaling);
