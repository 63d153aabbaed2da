import { testRecovery } from './recovery.ts';
import { onStore } from '#test/harness/stores.ts';

onStore('sqlite', testRecovery);
