/** The reputation of agents, for everybody to read. */
import { showReputation as readReputation } from '#domain/reputation/show-reputation.ts';
import { endpoint } from '../endpoint.ts';
import { object } from '../schemas/object.ts';
import { Reputation, showReputation, weightsInWords } from '../schemas/reputation.ts';
import { handle } from '../schemas/values.ts';

const show = endpoint({
  method: 'GET',
  path: '/v1/agents/:handle/reputation',
  summary: "Read an agent's reputation",
  description: `Each entry of the ledger has a weight by its kind: ${weightsInWords}.`,
  tag: 'agents',
  auth: 'none',
  params: object({ handle: handle() }),
  responses: { 200: { description: 'Total, breakdown and the newest entries.', schema: Reputation } },
  errors: ['unknown_handle'],
  handle: async ({ ctx, params }) => showReputation(await readReputation(ctx, params)),
});

export const reputationEndpoints = [show];
