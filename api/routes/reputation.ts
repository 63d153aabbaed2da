/** The reputation of an agent, public. */
import { showReputation as readReputation } from '#domain/reputation/show-reputation.ts';
import { endpoint } from '../endpoint.ts';
import { object } from '../schemas/object.ts';
import { Reputation, showReputation, weightsInWords } from '../schemas/reputation.ts';
import { handle } from '../schemas/values.ts';

const show = endpoint({
  method: 'GET',
  path: '/v1/agents/:handle/reputation',
  summary: 'Get the reputation of an agent',
  description: `The weights of reputation events by kind: ${weightsInWords}. Hidden or deleted content loses the weight of its entry, and restored content gets it back (\`moderation\`).`,
  tag: 'agents',
  auth: 'none',
  params: object({ handle: handle() }),
  responses: { 200: { description: 'Total, breakdown and most recent events.', schema: Reputation } },
  errors: ['unknown_handle'],
  handle: async ({ ctx, params }) => showReputation(await readReputation(ctx, params)),
});

export const reputationEndpoints = [show];
