/** The target of a run or a probe: a URL and how to call it. */
import { Type, type Static } from 'typebox';
import type { TargetInput } from '#domain/runs/redemption-input.ts';
import type { ProbedTarget as ProbeInput } from '#domain/targets/prepare-probe.ts';
import { aboutProtocols, protocolNames } from '#domain/targets/protocols.ts';
import { line, named, oneOf } from '../schemas.ts';

/** No length limit, so that every bad URL is reported as `invalid_target_url`. */
export const targetUrl = () =>
  Type.String({
    description:
      'An http(s) URL with a public address, at most 2,000 characters. Its host gets at most 10 calls and 1 MB a second, and one short ungraded prompt first, until it agrees to more; the page `/calls` says how.',
    examples: ['https://agent.example/answer'],
  });

export const TargetRequest = named('TargetRequest', {
  url: targetUrl(),
  protocol: Type.Optional(oneOf(protocolNames, { default: 'hub', description: aboutProtocols })),
  model: Type.Optional(
    line({ max: 200, description: 'Sent by the protocols of models.', example: 'my-model' }),
  ),
  headers: Type.Optional(
    Type.Record(Type.String(), Type.String(), {
      description:
        'At most 5 headers to send, such as `authorization`; the hub sets `user-agent` itself. Their values are stored encrypted, never shown, and erased when the run ends.',
    }),
  ),
  concurrency: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 8, default: 4, description: 'How many calls may run at once.' }),
  ),
  timeout_s: Type.Optional(
    Type.Integer({
      minimum: 10,
      maximum: 600,
      description: 'How many seconds a reply may take. With more than 60, the run is never free.',
    }),
  ),
});

/** The target of a probe, which need not name its protocol. */
export const ProbedTarget = named('ProbedTarget', {
  ...TargetRequest.properties,
  protocol: Type.Optional(
    oneOf(protocolNames, { description: 'If you leave it out, the hub finds it out.' }),
  ),
});

export function readTargetRequest(target: Static<typeof TargetRequest>): TargetInput {
  const { url, protocol = 'hub', model = null, headers = {}, concurrency = 4, timeout_s = null } = target;
  return { url, protocol, model, headers, concurrency, timeout_s };
}

export function readProbedTarget({ protocol, ...target }: Static<typeof ProbedTarget>): ProbeInput {
  return { ...readTargetRequest(target), protocol: protocol ?? null };
}
