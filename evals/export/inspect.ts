/**
 * The log of a run as Inspect reads it (`EvalLog`). Every field of the format is written, with null where a run has
 * nothing for it. A trial is an epoch of its sample.
 */
import { roundRate } from '../rates.ts';
import type { TokenUsage } from '../token-usage.ts';
import { whyNone } from '../report/summary.ts';
import type { CaseMessage } from '../own-suite/document.ts';
import {
  conversationOf,
  type ExportedItem,
  type ExportedRun,
  type ExportedTrial,
  safeJson,
} from './run-export.ts';

/** The version of the format that the log names. */
const logVersion = 2;
const scorer = 'agent_hub';

/** Sample by sample, because a run may have thousands. */
export async function* exportInspect(run: ExportedRun): AsyncGenerator<string> {
  yield `${safeJson(logOf(run, await countTrials(run))).slice(0, -1)},"samples":[`;
  let isFirst = true;
  for await (const item of run.items()) {
    for (const trial of item.trials) {
      yield `${isFirst ? '' : ','}\n${safeJson(sampleOf(run, item, trial))}`;
      isFirst = false;
    }
  }
  yield '\n]}\n';
}

/** Inspect lists a JSON file only if its name begins with an instant. */
export function inspectFileName({ id, finishedAt }: Pick<ExportedRun, 'id' | 'finishedAt'>): string {
  return `${finishedAt.toISOString().slice(0, 19).replaceAll(':', '-')}+00-00_run_${id}.json`;
}

interface Counted {
  /** The ids of the items. */
  readonly ids: readonly string[];
  readonly trials: number;
}

async function countTrials(run: ExportedRun): Promise<Counted> {
  const ids: string[] = [];
  let trials = 0;
  for await (const item of run.items()) {
    ids.push(item.id);
    trials += item.trials.length;
  }
  return { ids, trials };
}

function logOf(run: ExportedRun, counted: Counted) {
  const status = run.cancelled ? 'cancelled' : 'success';
  return {
    version: logVersion,
    status,
    eval: specOf(run, counted),
    plan: {
      name: 'plan',
      steps: [{ solver: run.product, params: {}, params_passed: {} }],
      finish: null,
      config: generateConfig,
    },
    results: resultsOf(run, counted),
    stats: {
      started_at: (run.startedAt ?? run.createdAt).toISOString(),
      completed_at: run.finishedAt.toISOString(),
      connection_limit_history: [],
      model_usage: run.usage === null ? {} : { [modelOf(run)]: usageOf(run.usage) },
      role_usage: {},
    },
    invalidated: false,
    tags: run.label === null ? [] : [run.label],
    metadata: {},
    ...nulls('error log_updates config_updates reductions'),
  };
}

function specOf(run: ExportedRun, { ids }: Counted) {
  const { suite } = run;
  return {
    eval_id: run.id,
    run_id: run.id,
    created: run.createdAt.toISOString(),
    task: suite.name,
    task_id: `${suite.name}@${suite.version}`,
    task_version: suite.version,
    task_display_name: suite.name,
    task_attribs: {},
    task_args: {},
    task_args_passed: {},
    dataset: { name: suite.name, location: null, samples: ids.length, sample_ids: ids, shuffled: null },
    model: modelOf(run),
    model_generate_config: generateConfig,
    model_args: {},
    config: { ...evalConfig, epochs: run.trials, epochs_reducer: ['mean'] },
    packages: {},
    metadata: {
      hub: run.hub,
      product: run.product,
      agent: run.agent,
      ...(run.usage?.partial === true ? { usage_is_partial: true } : {}),
      ...(run.judgedCases.length === 0 ? {} : { cases_judged_by_runner: run.judgedCases }),
      ...(run.partialCases.length === 0 ? {} : { cases_with_lost_assertions: run.partialCases }),
      ...(run.overruledCases.length === 0 ? {} : { cases_overruled: run.overruledCases }),
    },
    ...nulls(
      'eval_set_id task_file task_registry_name solver solver_args solver_args_passed tags sandbox model_base_url model_roles revision scorers metrics viewer',
    ),
  };
}

function resultsOf({ score, interval, trials }: ExportedRun, counted: Counted) {
  return {
    total_samples: counted.ids.length * trials,
    completed_samples: counted.trials,
    early_stopping: null,
    scores: [
      {
        name: scorer,
        scorer,
        reducer: 'mean',
        scored_samples: counted.trials,
        unscored_samples: 0,
        params: {},
        metrics: {
          score: metricOf('score', roundRate(score)),
          low: metricOf('low', interval.low),
          high: metricOf('high', interval.high),
        },
        metadata: null,
      },
    ],
    metadata: null,
  };
}

function metricOf(name: string, value: number) {
  return { name, value, params: {}, group: null, metadata: null };
}

function sampleOf(run: ExportedRun, { id, title, tags, prompt, asked }: ExportedItem, trial: ExportedTrial) {
  const { reply, usage, latencyMs, calls } = trial;
  const model = modelOf(run);
  const seconds = latencyMs === null ? null : latencyMs / 1_000;
  const called = calls.map((call, at) => ({ id: `call-${at + 1}`, ...call }));
  const answer = messageOf({ role: 'assistant', content: reply ?? '', tool_calls: called }, model);
  const sent = asked === null ? [] : conversationOf(asked, trial.earlier);
  const system = asked?.system === undefined ? [] : [{ role: 'system' as const, content: asked.system }];
  // Why a reply ended is not kept.
  const stopped = {
    message: answer,
    stop_reason: 'unknown',
    ...nulls('stop_details logprobs prompt_logprobs'),
  };
  return {
    id,
    epoch: trial.trial,
    input: prompt ?? '',
    target: trial.expected ?? '',
    messages: [
      ...[...system, ...sent].map((message) => messageOf(message, model)),
      ...(reply === null ? [] : [answer]),
    ],
    output: {
      model,
      choices: reply === null ? [] : [stopped],
      completion: reply ?? '',
      usage: usage === null ? null : usageOf(usage),
      time: seconds,
      ...nulls('fallback metadata error'),
    },
    scores: { [scorer]: scoreOf(trial) },
    metadata: {
      ...(title === undefined ? {} : { title }),
      tags,
      status: trial.status,
      ...(trial.judgedBy === null ? {} : { judged_by: trial.judgedBy }),
      ...(trial.review === null ? {} : { review: trial.review }),
    },
    store: {},
    events: [],
    model_usage: usage === null ? {} : { [model]: usageOf(usage) },
    role_usage: {},
    total_time: seconds,
    working_time: seconds,
    error: trial.status === 'error' ? { message: whyNone(trial), traceback: '', traceback_ansi: '' } : null,
    attachments: {},
    ...nulls(
      'choices sandbox files setup events_data timelines model_fallbacks started_at completed_at turn_count token_limit token_limit_type token_limit_usage uuid invalidation error_retries limit',
    ),
  };
}

interface Call {
  readonly id: string;
  readonly name: string;
  /** In a reply, they may be a text. */
  readonly arguments?: unknown;
}

type Message = Omit<CaseMessage, 'tool_calls'> & { readonly tool_calls?: readonly Call[] };

function messageOf({ role, content, tool_calls: calls = [], tool_call_id: callId }: Message, model: string) {
  const message = { role, content, id: null, metadata: null };
  switch (role) {
    case 'system':
      return { ...message, source: 'input' };
    case 'user':
      return { ...message, source: 'input', tool_call_id: null };
    case 'tool':
      return { ...message, source: 'input', tool_call_id: callId ?? null, ...nulls('function error') };
    case 'assistant':
      return {
        ...message,
        source: 'generate',
        tool_calls: calls.length === 0 ? null : calls.map(callOf),
        model,
      };
  }
}

/** Inspect takes only objects as arguments. */
function callOf({ id, name, arguments: given = {} }: Call) {
  const isObject = typeof given === 'object' && given !== null && !Array.isArray(given);
  return {
    id,
    function: name,
    arguments: isObject ? given : {},
    parse_error: isObject ? null : safeJson(given),
    view: null,
    type: 'function',
  };
}

/** As the score of the run counts it: the share of a trial that has not passed does not count. */
function scoreOf({ status, share, found, explanation }: ExportedTrial) {
  const value = status === 'passed' ? 1 : 0;
  return { value, answer: found, explanation, metadata: { share }, history: [] };
}

/** Inspect requires a name. */
function modelOf({ model, agent }: ExportedRun): string {
  return model ?? agent;
}

function usageOf({ input_tokens: input, output_tokens: output }: TokenUsage) {
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: input + output,
    ...nulls('input_tokens_cache_write input_tokens_cache_read reasoning_tokens total_cost'),
  };
}

function nulls(names: string): Readonly<Record<string, null>> {
  return Object.fromEntries(names.split(' ').map((name) => [name, null]));
}

const evalConfig = nulls(
  'acp_server approval continue_on_fail cost_limit epochs epochs_reducer fail_on_error limit log_buffer log_images log_model_api log_realtime log_samples log_shared max_dataset_memory max_samples max_sandboxes max_subprocesses max_tasks message_limit notification retry_on_error sample_id sample_shuffle sandbox_cleanup sandbox_prebuilt score_display score_on_error time_limit token_limit token_limit_type turn_limit working_limit',
);

const generateConfig = nulls(
  'adaptive_connections attempt_timeout batch best_of cache cache_prompt effort extra_body extra_headers fallback_models frequency_penalty internal_tools logit_bias logprobs max_connections max_retries max_tokens max_tool_output modalities num_choices parallel_tool_calls presence_penalty prompt_logprobs reasoning_effort reasoning_history reasoning_mode reasoning_summary reasoning_tokens response_schema seed stop_seqs system_message temperature timeout top_k top_logprobs top_p verbosity',
);
