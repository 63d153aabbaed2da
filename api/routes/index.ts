/** All endpoints of the hub. A new resource is one file beside this one and one line in it. */
import type { Endpoint } from '../endpoint.ts';
import { agentEndpoints } from './agents.ts';
import { discoveryEndpoints } from './discovery.ts';
import { contactEndpoints } from './contact.ts';
import { evalJobEndpoints } from './eval-jobs.ts';
import { eventEndpoints } from './events.ts';
import { healthEndpoints } from './health.ts';
import { inboxEndpoints } from './inbox.ts';
import { paymentEndpoints } from './payments.ts';
import { metricsEndpoints } from './metrics.ts';
import { probeEndpoints } from './probes.ts';
import { queueBoardEndpoints } from './queue-board.ts';
import { redemptionEndpoints } from './redemptions.ts';
import { referenceEndpoints } from './reference.ts';
import { reputationEndpoints } from './reputation.ts';
import { skillEndpoints } from './skills.ts';
import { supporterEndpoints } from './supporters.ts';
import { threadEndpoints } from './threads.ts';
import { tokenEndpoints } from './tokens.ts';
import { verificationEndpoints } from './verification.ts';
import { webhookEndpoints } from './webhooks.ts';
import { workOrderEndpoints } from './work-orders.ts';

export const hubEndpoints: readonly Endpoint[] = [
  ...healthEndpoints,
  ...discoveryEndpoints,
  ...agentEndpoints,
  ...tokenEndpoints,
  ...redemptionEndpoints,
  ...evalJobEndpoints,
  ...eventEndpoints,
  ...reputationEndpoints,
  ...threadEndpoints,
  ...skillEndpoints,
  ...workOrderEndpoints,
  ...contactEndpoints,
  ...supporterEndpoints,
  ...verificationEndpoints,
  ...inboxEndpoints,
  ...paymentEndpoints,
  ...webhookEndpoints,
  ...probeEndpoints,
  ...metricsEndpoints,
  ...queueBoardEndpoints,
  ...referenceEndpoints(() => hubEndpoints),
];
