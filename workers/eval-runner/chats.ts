/**
 * Spans of what a run says to its target, after OpenTelemetry's conventions for generative AI. They hold the tokens that
 * the target reported, but no prompt, no reply and no name of a model, which come from callers.
 */
import type { GuardedHttp } from '#runtime/guarded-http/guarded-request.ts';
import { HostAgreed } from '#runtime/turns/target-turns.ts';
import { traceHttp } from '#runtime/guarded-http/traced-http.ts';
import type { Cause } from '#runtime/tracing/log.ts';
import type { SpanEnd, Tracing } from '#runtime/tracing/tracing.ts';
import type { TargetFault } from '#domain/targets/protocol.ts';
import type { TokenUsage } from '#evals/token-usage.ts';
import type { RunTarget } from './call-target.ts';

type ChatReply = { readonly ok: true; readonly usage: TokenUsage | null } | TargetFault;

/** Makes one call to the target of a run, with the client that it is given. */
export type Chat = <Reply extends ChatReply>(
  target: Pick<RunTarget, 'runId' | 'settings'>,
  call: (http: GuardedHttp) => Promise<Reply>,
) => Promise<Reply>;

/** Names of the conventions; another protocol is named by itself. */
const providers: ReadonlyMap<string, string> = new Map([
  ['openai-chat', 'openai'],
  ['openai-responses', 'openai'],
  ['anthropic-messages', 'anthropic'],
]);

/** @param cause of the run's job, whose span is the parent */
export function openChats(
  http: GuardedHttp,
  tracing: Tracing | null = null,
  cause: Cause | null = null,
): Chat {
  if (tracing === null || cause === null) return (_target, call) => call(http);
  return async ({ runId, settings }, call) => {
    const span = tracing.start({
      name: 'chat',
      kind: 'client',
      parent: cause.traceparent,
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': providers.get(settings.protocol) ?? settings.protocol,
        'gen_ai.conversation.id': runId,
      },
    });
    let ended: SpanEnd | null = { failed: true, attributes: { 'error.type': 'aborted' } };
    try {
      const reply = await call(traceHttp(http, tracing, { ...cause, traceparent: span.traceparent }));
      ended = endOf(reply);
      return reply;
    } catch (error) {
      // Nothing was said. A span that never ends is not exported.
      if (error instanceof HostAgreed) ended = null;
      throw error;
    } finally {
      if (ended !== null) span.end(ended);
    }
  };
}

function endOf(reply: ChatReply): SpanEnd {
  if (!reply.ok) return { failed: true, attributes: { 'error.type': reply.code } };
  if (reply.usage === null) return {};
  const { input_tokens, output_tokens } = reply.usage;
  return {
    attributes: {
      'gen_ai.usage.input_tokens': input_tokens,
      'gen_ai.usage.output_tokens': output_tokens,
    },
  };
}
