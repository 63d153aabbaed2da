import { testHandingBack } from './handing-back.ts';
import { onStore } from '#test/harness/stores.ts';

onStore('postgres', testHandingBack);
