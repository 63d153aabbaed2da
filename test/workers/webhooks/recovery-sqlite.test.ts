import { onStore } from '#test/harness/stores.ts';
import { testWebhookRecovery } from './recovery.ts';

onStore('sqlite', testWebhookRecovery);
