/**
 * The conversations of a run as spans of OpenTelemetry, by its semantic conventions for generative AI. Each line is one
 * export request of OTLP/JSON with one span, so that it can be sent, or kept as the draft of a case, by itself.
 */
import { createHash } from 'node:crypto';
import type { CaseMessage } from '../own-suite/document.ts';
import type { PlacedImage } from '../own-suite/images.ts';
import {
  type AskedCase,
  conversationOf,
  type ExportedItem,
  type ExportedRun,
  type ExportedTrial,
  safeJson,
} from './run-export.ts';

export async function* exportOtlp(run: ExportedRun): AsyncGenerator<string> {
  const ends = await run.ends();
  for await (const item of run.items()) {
    for (const trial of item.trials) {
      const span = spanOf(run, item, trial, ends.get(trial.index) ?? run.finishedAt);
      const scope = { name: 'agent-hub' };
      const resource = { attributes: attributesOf({ 'service.name': 'agent-hub' }) };
      yield `${safeJson({ resourceSpans: [{ resource, scopeSpans: [{ scope, spans: [span] }] }] })}\n`;
    }
  }
}

/** `SPAN_KIND_CLIENT`, and `STATUS_CODE_ERROR`. */
const [clientKind, errorCode] = [3, 2];

function spanOf(run: ExportedRun, item: ExportedItem, trial: ExportedTrial, endedAt: Date) {
  const { latencyMs, usage, status, error, reply } = trial;
  const key = createHash('sha256').update(`${run.id} ${item.id} ${trial.trial}`).digest('hex');
  const [traceId, spanId] = [key.slice(0, 32), key.slice(32, 48)];
  return {
    traceId,
    spanId,
    name: `invoke_agent ${run.agent}`,
    kind: clientKind,
    startTimeUnixNano: nanosOf(endedAt.getTime() - (latencyMs ?? 0)),
    endTimeUnixNano: nanosOf(endedAt.getTime()),
    attributes: attributesOf({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.provider.name': 'agent_hub',
      'gen_ai.agent.name': run.agent,
      'gen_ai.request.model': run.model,
      ...(item.asked === null ? {} : askedIn(run, item.asked, trial.earlier)),
      'gen_ai.output.messages': reply === null ? null : safeJson([saidIn(reply, trial)]),
      'gen_ai.usage.input_tokens': usage?.input_tokens ?? null,
      'gen_ai.usage.output_tokens': usage?.output_tokens ?? null,
      'error.type': error,
      'agent_hub.run.id': run.id,
      'agent_hub.suite.name': run.suite.name,
      'agent_hub.suite.version': run.suite.version,
      'agent_hub.run.label': run.label,
      'agent_hub.case.id': item.id,
      'agent_hub.case.trial': trial.trial,
    }),
    events: [
      {
        name: 'gen_ai.evaluation.result',
        timeUnixNano: nanosOf(endedAt.getTime()),
        attributes: attributesOf({
          'gen_ai.evaluation.name': run.suite.name,
          'gen_ai.evaluation.score.value':
            status === 'passed' || status === 'failed' ? { doubleValue: trial.share } : null,
          'gen_ai.evaluation.score.label': status,
          'gen_ai.evaluation.explanation': trial.explanation,
        }),
      },
    ],
    status: status === 'error' ? { code: errorCode } : {},
  };
}

function askedIn({ hub, suite }: ExportedRun, asked: AskedCase, earlier: readonly string[]) {
  const { system, tools } = asked;
  const said = conversationOf(asked, earlier);
  const instructions = [system, ...said.flatMap(({ role, content }) => (role === 'system' ? [content] : []))];
  const texts = instructions.flatMap((text) => (text === undefined ? [] : [textPart(text)]));
  // An endpoint takes no megabytes, and a run has an image in many trials.
  const imagePart = ({ type, sha256 }: PlacedImage) => ({
    type: 'uri',
    modality: 'image',
    mime_type: type,
    uri: `${hub}/v1/suites/${suite.name}/images/${sha256}`,
  });
  return {
    'gen_ai.system_instructions': texts.length === 0 ? null : safeJson(texts),
    'gen_ai.input.messages': safeJson(
      said
        .filter(({ role }) => role !== 'system')
        .map((message) => ({
          role: message.role,
          parts: [...partsOf(message), ...(message.images ?? []).map(imagePart)],
        })),
    ),
    'gen_ai.tool.definitions':
      tools === undefined
        ? null
        : safeJson(
            tools.map(({ name, description, parameters }) => ({
              type: 'function',
              name,
              description,
              parameters,
            })),
          ),
  };
}

function partsOf({ content, tool_calls: calls = [], tool_call_id: id }: CaseMessage): readonly object[] {
  if (id !== undefined) return [{ type: 'tool_call_response', id, response: content }];
  return [...(content === '' ? [] : [textPart(content)]), ...calls.map(callPart)];
}

function callPart({ id, name, arguments: given = {} }: NonNullable<CaseMessage['tool_calls']>[number]) {
  return { type: 'tool_call', id, name, arguments: given };
}

function saidIn(reply: string, { calls, shortened }: ExportedTrial) {
  const called = calls.map((call, at) => ({ type: 'tool_call', id: `call-${at + 1}`, ...call }));
  const parts = [...called, ...(reply === '' && called.length > 0 ? [] : [textPart(reply)])];
  return { role: 'assistant', parts, finish_reason: shortened ? 'length' : 'stop' };
}

function textPart(content: string) {
  return { type: 'text', content };
}

/** OTLP/JSON writes 64-bit integers as texts. */
function nanosOf(ms: number): string {
  return String(BigInt(ms) * 1_000_000n);
}

function attributesOf(values: Readonly<Record<string, string | number | object | null>>) {
  return Object.entries(values).flatMap(([key, value]) => {
    if (value === null) return [];
    if (typeof value === 'object') return [{ key, value }];
    return [{ key, value: typeof value === 'string' ? { stringValue: value } : { intValue: String(value) } }];
  });
}
