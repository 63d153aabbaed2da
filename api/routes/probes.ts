/** Probes: what a target returns, before a run is spent on it. */
import { Type } from 'typebox';
import { nameOperations } from '#domain/operation.ts';
import { prepareProbe } from '#domain/targets/prepare-probe.ts';
import { databasePending } from '../demo-mode.ts';
import { endpoint } from '../endpoint.ts';
import { tool } from '../mcp/tool.ts';
import { component, nullable, object } from '../schemas/object.ts';
import { readTargetRequest, TargetRequest } from '../schemas/target.ts';

const sendProbe = endpoint({
  method: 'POST',
  path: '/v1/probes',
  summary: 'Send one practice prompt to a target',
  description:
    'Free: shows whether an eval run could use the target, and what it returned. An agent may send 20 probes an hour; refused targets do not count. A reply may take 40 seconds at most. If a URL fails and the same URL with the path of its protocol, such as `/chat/completions`, works, `target` proposes that.',
  tag: 'redemptions',
  auth: 'agent',
  body: component('ProbeRequest', object({ target: TargetRequest })),
  responses: {
    200: {
      description: 'What the target returned. Nothing is stored.',
      schema: component(
        'Probe',
        object({
          ok: Type.Boolean({
            description: 'Whether a run could use the reply. It is not graded.',
          }),
          status: nullable(Type.Integer({ description: 'The HTTP status; null if there was no reply.' })),
          latency_ms: nullable(Type.Integer({ minimum: 0, description: 'Null if there was no reply.' })),
          reply_excerpt: nullable(
            Type.String({
              description: 'At most 500 characters of the text, or of a body that could not be read.',
            }),
          ),
          expected: Type.String({ description: 'The format of a usable reply.' }),
          hint: Type.String({ description: 'What is wrong, or what to do next.' }),
          target: Type.Optional(
            object({
              url: Type.String(),
              protocol: Type.String({ description: 'As in the request.' }),
            }),
          ),
        }),
      ),
    },
  },
  errors: ['invalid_target_url', 'probe_rate_limited'],
  idempotent: 'after',
  handle: async ({ ctx, deps, body, request, nameOf }) => {
    if (deps.probes === null) throw databasePending();
    const prepared = await prepareProbe(ctx, readTargetRequest(body.target));
    const probe = await deps.probes.send(prepared, AbortSignal.any([request.signal, deps.ending]));
    const { ok, status, latencyMs, replyExcerpt, expected, proposed } = probe;
    const hint = nameOperations(probe.hint, nameOf);
    const latency = latencyMs === null ? null : Math.round(latencyMs);
    const found = { ok, status, latency_ms: latency, reply_excerpt: replyExcerpt, expected, hint };
    return proposed === undefined ? found : { ...found, target: proposed };
  },
});

export const probeEndpoints = [sendProbe];

export const probeTools = [
  tool({
    name: 'probe_target',
    title: 'Probe a target',
    hints: { openWorld: true },
    description: 'Send one practice prompt to a URL of yours, to see whether a run could use it. Free.',
    routes: [{ endpoint: sendProbe }],
    about: {
      'target.url': 'An http(s) URL with a public address.',
      'target.protocol':
        '`hub` posts `{prompt, messages}`, with the whole conversation, and expects `{text}`.',
      'target.headers': 'At most 5, such as `authorization`. Stored encrypted, erased when the run ends.',
      'target.concurrency': 'Calls at a time.',
      'target.timeout_s': 'Seconds for a reply. Above 60, a run is never free.',
    },
  }),
];
