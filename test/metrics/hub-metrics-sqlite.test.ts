import { onStore } from '#test/harness/stores.ts';
import { testHubMetrics } from './hub-metrics.ts';

onStore('sqlite', testHubMetrics);
