/** Probes: what a target returns, before a run is spent on it. */
import { Elysia } from 'elysia';
import { Type } from 'typebox';
import { nameOperations } from '#domain/operation.ts';
import { maxPromptTokensDefault } from '#domain/runs/redemption-input.ts';
import { prepareProbe } from '#domain/targets/prepare-probe.ts';
import { databasePending } from '../demo-mode.ts';
import { named, nullable, object, oneOf } from '../schemas.ts';
import { ProbedTarget, readProbedTarget } from './model.ts';
import { edge, input, ok } from '../plugins/edge.ts';
import { toWire } from '../wire.ts';

const Probe = named('Probe', {
  ok: Type.Boolean({
    description: 'Whether a run could use the reply. It is not graded.',
  }),
  code: nullable(
    Type.String({
      description:
        'The code with which a run would fail, such as `target_timeout`. Null if it would not fail, or if nothing was sent.',
    }),
  ),
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
    object(
      { url: Type.String(), protocol: Type.String() },
      { description: 'What to redeem with, if the request does not say it.' },
    ),
  ),
  protocol: nullable(Type.String({ description: 'What the target speaks; null if that was not found out.' })),
  tried: Type.Array(
    object({
      method: oneOf(['GET', 'POST']),
      url: Type.String(),
      protocol: Type.String(),
      status: nullable(Type.Integer({ description: 'Null if there was no response.' })),
      message: Type.String({ description: 'The outcome.' }),
    }),
    { description: 'The requests to the target, in order; at most 8.' },
  ),
});

const showProbe = toWire(Probe);

export const probeRoutes = new Elysia({ tags: ['redemptions'] }).use(edge).post(
  '/v1/probes',
  async ({ ctx, deps, body, signal, nameOf }) => {
    if (deps.probes === null) throw databasePending();
    const prepared = await prepareProbe(ctx, readProbedTarget(body.target), body.prompt_tokens);
    const probe = await deps.probes.send(prepared, AbortSignal.any([signal(), deps.ending]));
    const { latencyMs, proposed: target } = probe;
    return showProbe({
      ...probe,
      hint: nameOperations(probe.hint, nameOf),
      latencyMs: latencyMs === null ? null : Math.round(latencyMs),
      ...(target === undefined ? {} : { target }),
    });
  },
  {
    agent: true,
    body: input(
      named('ProbeRequest', {
        target: ProbedTarget,
        prompt_tokens: Type.Optional(
          Type.Integer({
            minimum: 1,
            maximum: 128_000,
            default: maxPromptTokensDefault,
            description:
              'The longest prompt to try: `max_prompt_tokens` of an eval run, whose default is the default here, or `size.longest_prompt_tokens` of a suite.',
          }),
        ),
      }),
    ),
    response: ok('What the target returned. Nothing is stored.', Probe),
    errors: ['invalid_target_url'],
    once: 'after',
    detail: {
      summary: 'Send practice prompts to a target',
      description:
        'Free: shows whether a run could use the target, and what it returned. A short practice prompt is followed by one of the largest size, which finds a limit of bodies. An agent may send 20 probes an hour; refused targets do not count. All replies together may take 40 seconds. Without `target.protocol`, the hub finds out what the URL speaks: it looks for an agent card, then tries what the path suggests, with at most 8 requests, and proposes the `target` that works. If a URL lacks the end of its path, such as `/chat/completions`, `target` proposes the whole one.',
    },
  },
);
